"""Fails when the OpenAPI document on standard input breaks a rule of OpenAPI 3.1."""

import json
import sys

from openapi_spec_validator import OpenAPIV31SpecValidator

errors = list(OpenAPIV31SpecValidator(json.load(sys.stdin)).iter_errors())
for error in errors:
    print(error, file=sys.stderr)
sys.exit(bool(errors))
