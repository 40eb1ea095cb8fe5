#!/usr/bin/env bash
# From a table to a network, an answer and a file for Hugin, on the command line.
set -euo pipefail

bnml learn --forbid 'lung>smoke' -o clinic.json --plot clinic.png # the bundled table; name yours after "learn"
bnml query clinic.json lung --given smoke=yes --given xray=yes
bnml sample clinic.json -n 200 --seed 1 -o rows.csv
bnml posterior rows.csv --columns smoke,lung,xray,either
bnml convert clinic.json clinic.net # for Hugin
