"""`python -m arr` is the command `arr`."""

import sys

from arr._command import main

sys.exit(main())
