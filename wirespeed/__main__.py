import sys

from wirespeed.cli.main import main

sys.exit(main())
