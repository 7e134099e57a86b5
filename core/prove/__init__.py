# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence that an exported model means the same elsewhere: it is written in every format, read again and simulated.

It uses `formats` and `simulation`, and other simulators that are installed on the user's machine, the judges. They run
in processes of their own, by the scripts in `programs`, which import nothing of this package: neither may they be
imported here, nor may this package depend on a judge.
"""
