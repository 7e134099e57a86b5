# SPDX-License-Identifier: GPL-3.0-or-later
"""The request to a judge and its answer, as JSON files.

The request has `file`, the model file; `seconds`, the time to simulate [s], 0 for none; and `folders`, in which
packages may be. The answer has `version`; `error`, why the file was refused, or ""; `warnings`; `masses`, {link: kg};
`start` and `end`, {link: x y z qw qx qy qz in the world [m]}; `motion_error`, why there is no `end`, or ""; and
`method`, how the motion was computed.
"""

import json
import math
import sys


def answer_with(judge):
    """Run `judge`, a function from the request to the answer, on the files that the command line names."""
    request_path, answer_path = sys.argv[1:]
    with open(request_path, encoding="utf-8") as file:
        request = json.load(file)
    answer = {"version": "", "error": "", "warnings": [], "masses": {}, "start": {}, "end": {}, "method": ""}
    answer["motion_error"] = ""
    answer.update(judge(request))
    with open(answer_path, "w", encoding="utf-8") as file:
        json.dump(answer, file)


def is_finite(poses):
    """Return whether all numbers of poses by names are finite."""
    return all(math.isfinite(value) for pose in poses.values() for value in pose)


def one_line(error):
    """Return the text of an error as one line."""
    return " ".join(str(error).split()) or type(error).__name__
