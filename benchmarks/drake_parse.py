# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: how long Drake takes to parse a file.

Each line of standard input is a path; each line of standard output the seconds that `Parser.AddModels` took for it, or
"null" where Drake refuses the file. Neither starting Python nor making the plant is in that time.
"""

import json
import logging
import sys
import time

from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

logging.getLogger("drake").setLevel(logging.CRITICAL)


def seconds(path):
    plant = MultibodyPlant(1e-3)
    parser = Parser(plant)
    parser.SetAutoRenaming(True)
    begun = time.perf_counter()
    try:
        parser.AddModels(path)
    except RuntimeError:
        return None
    return time.perf_counter() - begun


for line in sys.stdin:
    print(json.dumps(seconds(line.rstrip("\n"))), flush=True)
