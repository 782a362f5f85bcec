"""Variables: the values that a line itself gives, and the variables that change what later commands run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from desktop.gate.reasons import GateReason
from desktop.gate.shell import computed
from desktop.gate.shell.expansion import output_of, words_of
from desktop.gate.shell.network import is_elsewhere
from desktop.gate.shell.places import SECRET_VARIABLE, is_outside
from desktop.gate.shell.reading import Reading, Scope, Stdin, shown
from desktop.gate.shell.substitutions import SUBSCRIPT
from desktop.gate.shell.tables import vocabulary
from desktop.gate.shell.words import ANY_MARK, GIVEN, LOOSE, NAMES, OPAQUE, OUTPUT, VARIABLE, Word
from desktop.gate.verdict import Effect, Flag

if TYPE_CHECKING:
    from tree_sitter import Node

    from desktop.gate.shell.expansion import Tree

# Their value is a command line that a program runs later.
COMMANDS = frozenset(
    [
        "PAGER",
        "GIT_PAGER",
        "MANPAGER",
        "SYSTEMD_PAGER",
        "AWS_PAGER",
        "GH_PAGER",
        "BAT_PAGER",
        "DELTA_PAGER",
        "PSQL_PAGER",
        "EDITOR",
        "VISUAL",
        "GIT_EDITOR",
        "GIT_SEQUENCE_EDITOR",
        "KUBE_EDITOR",
        "GH_EDITOR",
        "GH_BROWSER",
        "SVN_EDITOR",
        "FCEDIT",
        "SUDO_EDITOR",
        "SYSTEMD_EDITOR",
        "PSQL_EDITOR",
        "GIT_SSH_COMMAND",
        "GIT_SSH",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "SUDO_ASKPASS",
        "GIT_EXTERNAL_DIFF",
        "GIT_PROXY_COMMAND",
        "BROWSER",
        "RSYNC_RSH",
        "CVS_RSH",
        "SVN_SSH",
        "PROMPT_COMMAND",
        "LESSOPEN",
        "LESSCLOSE",
        "FZF_DEFAULT_COMMAND",
        "MANROFFOPT",
        "MANLESS",
        "RIPGREP_PRE",
        "MAILER",
        "TERMINAL",
        "RUSTC_WRAPPER",
        "RSTUDIO_PANDOC",
        "COMMAND_NOT_FOUND_HANDLE",
        "TAR_RSH",
        "MTR_PACKET",
        "GOCACHEPROG",
        "NULLCMD",  # of zsh, for a line that is a redirection alone
        "READNULLCMD",
    ]
)
# Their value makes every later program, or a family of them, load or run other code.
CODE = re.compile(
    r"""(?x)^(?:ENV|KRB5_TRACE|PS[0-4]|SHELL|HOME|SHELLOPTS|GREP_OPTIONS|TAR_OPTIONS|WGETRC|CURL_HOME|GCONV_PATH|LOCPATH
    |LUA_INIT\w*|R_PROFILE\w*|R_ENVIRON\w*|OPENSSL_CONF|OPENSSL_ENGINES|OPENSSL_MODULES|PHPRC|PHP_INI_SCAN_DIR
    |ERL_\w+|ELIXIR_ERL_OPTIONS|GTK_MODULES|GTK_PATH|QT_PLUGIN_PATH|SSLKEYLOGFILE|VIMINIT|EXINIT|MYVIMRC
    |XDG_(?:CONFIG|DATA)_(?:HOME|DIRS)|INPUTRC|TERMINFO\w*|TERMCAP|ZDOTDIR|FPATH|SCREENRC|COR_PROFILER\w*
    |CORECLR_\w+|CPUPROFILE|HEAPPROFILE|MallocLogFile|GST_REGISTRY|PKG_CONFIG_LOG|UV_PYTHON|VIRTUAL_ENV|GOROOT|PSQLRC|FFREPORT|APT_CONFIG|TAPE|SQLITE_HISTORY|MYSQL_HOME|DOCKER_CONFIG|AWS_CONFIG_FILE|EXECIGNORE|GLOBIGNORE
    |FZF_DEFAULT_OPTS\w*|ACKRC|ACK_OPTIONS|AG_OPTIONS|ZIPOPT|ZIP|UNZIP|UNZIPOPT|RSYNC_\w+|PARALLEL\w*
    |SYSTEMD_LESS|DOCKER_CLI_PLUGIN\w*|MANOPT|MANROFFSEQ|GROFF_\w+|TROFF\w*|TIGRC_\w+|TEXINPUTS|TEXMF\w*|HOSTALIASES|CC|CXX|CPP|LD|AR|AS|RUSTC|RUSTDOC)$"""
)
# Variables of these families are read as code, options, files or folders, except the ones that are listed.
FAMILIES = re.compile(
    r"""(?x)^(?:LD_|DYLD_|GLIBC_|MALLOC_|BASH|GIT_|PYTHON|PIP_|PERL|RUBY|NODE_|NPM_|npm_|YARN_|BUN_|DENO_|JAVA_
    |JDK_|_JAVA|MAVEN_|GRADLE_|LESS|RIPGREP_|BAT_|MAKE|GNUMAKE|CMAKE_|CARGO_|RUSTC_|RUSTFLAGS|GO[A-Z]*FLAGS$|GOENV$|GOVCS$
    |GOTOOL|CGO_|DOTNET_|MSBUILD|OPENSSL_|GPG_|GNUPG|SSH_|SVN_|HG|P4|ANSIBLE_|KUBE|HELM_|TF_|LUA_|PHP_
    |COREPACK_|RCLONE_|RESTIC_|BORG_|BAZEL|DBUS_|NIX_|GEM_|BUNDLE_|COMPOSER_|GHCRTS$|GOAUTH$|COMPlus_)"""
)
MEMBERS = vocabulary("shell").words("variables")
# A variable that no list names is judged by its own name, as an option is: what it ends in tells what
# programs do with the value. Such a name counts only where commands inherit the value.
RUNS = re.compile(
    r".+_(?:COMMAND|EXEC|EXE|RSH|SSH|ASKPASS|WRAPPER|LAUNCHER|SHELL)|.+(?:CMD|PAGER|EDITOR|BROWSER|PASSCOMMAND)"
)
OPTIONS = re.compile(r".+(?:OPTS|OPTIONS|FLAGS)|.+_(?:ARGS|PARAMS)")
PLACES = re.compile(
    r".+(?:HOME|PATH|Path|(?<!PRO)FILE|[^S]RC|CFG|CONF|CONFIG|PREFIX)|.+_(?:DIRS?|ROOT|CWD|OUTPUT|LIBS?|PYTHON"
    r"|PLUGINS?|MODULES?|EXTENSIONS?|LAYERS?|START|STARTUP|INIT|LOADER|PRELOAD|HOOKS?|SCRIPTS?)|.+DIR"
)
# What a tool keeps there it makes anew; agents in a box move these often.
KEPT = re.compile(r"(?i).*(?:CACHE|TMP|TEMP).*")
HARMLESS = vocabulary("shell").words("harmless_variables")
# A program or file that stands where anybody may put one.
BESIDE = re.compile(r"\.{1,2}|(?:\.{1,2}/|/tmp/|/var/tmp/|/dev/shm/).*", re.DOTALL)
# Where programs look by themselves, and what is no file.
USUAL_PLACE = re.compile(
    r"(?:[\w.-]+:)?/(?:etc|dev/(?:null|stdout|stderr|tty))(?:/.*)?|[01]|true|false|yes|no", re.DOTALL
)
# Members whose value decides: to the terminal, not to a file; options that only change what is shown.
VALUES = {
    "GIT_TRACE": re.compile(r"(?i)[012]|true|false|yes|no|on|off|"),
    "GIT_TRACE_REDACT": re.compile(r"(?i)1|true|yes|on"),  # else it shows what it signs in with
    "LESSHISTFILE": re.compile(r"-|/dev/null|\x01"),
    "GOAUTH": re.compile(r"(?:off|netrc)(?:;\s*(?:off|netrc))*"),
    "LESS": re.compile(r"-?[FRXSKiIMmgnNqQrsewJ]*(?:\s-[FRXSKiIMmgnNqQrsewJ]+)*"),
    "GIT_DIR": re.compile(r"\x01.*|(?:.*/)?\.git(?:/(?:modules|worktrees)/.*)?/?", re.DOTALL),
    "KUBECONFIG": re.compile(r"(?:(?:^|:)(?:\x01|~|/(?!tmp/|var/tmp/|dev/))[^:]*)*", re.DOTALL),
    "GOFLAGS": re.compile(r"(?:\s*-(?:mod=(?:vendor|readonly)|[vx]|race|buildvcs=\w+|tags=[\w,]+))*\s*"),
    "GOVCS": re.compile(
        r"(?:[\w.*/-]+:)?(?:off|git)(?:,(?:[\w.*/-]+:)?(?:off|git))*"
    ),  # others run what they fetch
    "NIX_CONFIG": re.compile(r"\s*(?:extra-)?experimental-features\s*=[\w\s-]*"),
    "PGOPTIONS": re.compile(
        r"(?:\s*-(?:c\s*|-)(?:(?:statement|lock|idle_in_transaction_session)_timeout|search_path|default_transaction_read_only"
        r"|client_min_messages|timezone|datestyle)=[\w.,$\"']*)*\s*"
    ),
    "DBUS_SESSION_BUS_ADDRESS": re.compile(r"unix:path=/run/user/\d+/bus|\x01"),
    "BORG_RSH": re.compile("ssh"),
    "JAVA_HOME": re.compile(
        r"\x01|/(?:usr|opt|Library|nix|snap)/.*|~/\.(?:sdkman|jenv|asdf|jabba)/.*", re.DOTALL
    ),
}


def loads_code(name: str, value: str) -> bool:
    """Whether this variable with this value may change what a program runs, loads or writes."""
    if CODE.match(name):
        return True
    # A family is closed: a member that nobody listed is taken for code until it is.
    if name in MEMBERS or name in FOLDERS or not FAMILIES.match(name):
        return False
    allowed = VALUES.get(name) or (VALUES["GIT_TRACE"] if name.startswith("GIT_TRACE") else None)
    return allowed is None or not allowed.fullmatch(value)


def is_place_of_code(name: str, value: str) -> bool:
    """Whether a variable that no list names holds options, or a place to load code from or to write to."""
    allowed = VALUES.get(name)
    if name in HARMLESS or (allowed is not None and allowed.fullmatch(value)):
        return False
    if re.match(r"\s*--?[A-Za-z]", value) or OPTIONS.fullmatch(name):
        return True
    if KEPT.fullmatch(name):
        return False
    if BESIDE.fullmatch(value):
        return True
    return bool(PLACES.fullmatch(name)) and not (STANDARD.match(value) or USUAL_PLACE.fullmatch(value))


# Folders in which programs look for code.
FOLDERS = frozenset(
    {
        "PATH",
        "LD_LIBRARY_PATH",
        "PYTHONPATH",
        "PERL5LIB",
        "PERLLIB",
        "RUBYLIB",
        "NODE_PATH",
        "CLASSPATH",
        "LUA_PATH",
        "LUA_CPATH",
        "GOPATH",
        "MANPATH_BIN",
        "CDPATH",
    }
)
FOLDER_IS_CODE = FOLDERS - {"PATH", "LD_LIBRARY_PATH", "GOPATH", "CDPATH"}
STANDARD = re.compile(
    r"""(?x)^(?:\x01|(?:/usr(?:/local)?(?:/games)?|/opt|/snap|/bin|/sbin|/lib|/lib64|/nix|/home/linuxbrew|/Applications
    |/Library|/System|~|/root|/home/[^/]+|/Users/[^/]+|/c|/mnt/c)(?:/.*)?)$"""
)
HARMLESS_COMMANDS = re.compile(
    r"(?:/usr)?(?:/local)?(?:/bin/)?(?:cat|less|more|most|bat|delta|head|tail|true|false|:|echo|vim?|nvim|nano|emacs|pico|micro|"
    r"code|subl|ed|ssh|firefox|w3m|lynx|open)?(?:\s+(?:-{1,2}(?!exec|c\b|es?\b|F\b|o\b|S\b)[\w=-]+|\+\w*))*"
)
# The address of the service that a program signs in at: whose variable it is, and that it is an address.
SERVERS = re.compile(
    r"""(?x)(?:VAULT|BAO|NOMAD|BOUNDARY|CONSUL|AWS|ETCDCTL|ARGOCD|SENTRY|GH|GITHUB|GITLAB|GL|GLAB|GITEA|CLOUDSDK
        |FLY|HF|HEROKU|DIGITALOCEAN|HCLOUD|LINODE|SCW|VERCEL|NETLIFY|RAILWAY|PULUMI|SNYK|SONAR|JIRA|GRAFANA|DD
        |DATADOG|CIRCLECI|DRONE|BUILDKITE|TELEPORT|OP|BW|INFISICAL|DOPPLER|OPENAI|ANTHROPIC|STRIPE|CLOUDFLARE
        |OS|JFROG|WANDB|TRIVY|SEMGREP|DOCKER_CONTENT_TRUST|DATABRICKS|SNOWFLAKE|TEMPORAL|RANCHER|AZURE)
    _(?:\w+_)?(?:API|HOST|HOSTNAME|ADDR|ADDRESS|ENDPOINTS?|SERVER|URL|URI|URL_\w+|ENDPOINT_OVERRIDES_\w+)"""
)
# Where the services are that most of these programs sign in at anyway.
AT_HOME = re.compile(
    r"(?i)^(?:https://)?(?:[\w-]{1,63}\.){0,6}(?:github\.com|ghe\.com|gitlab\.com|amazonaws\.com|googleapis\.com|openai\.com"
    r"|anthropic\.com|huggingface\.co|cloudflare\.com|sentry\.io|hashicorp\.cloud)(?:[:/].*)?$",
    re.DOTALL,
)
# bash computes with what is assigned to these.
COMPUTED = frozenset({"OPTIND", "RANDOM", "SECONDS", "HISTCMD", "BASHPID", "EPOCHSECONDS", "SRANDOM"})
SINGLE = re.compile(r"(\w+)(\[.*\])?\s*(\+?=)", re.DOTALL)  # with blanks in `for ((i = 0; …))`


def assign(tree: Tree, node: Node) -> None:
    """An assignment that stands alone."""
    keep_assignment(tree, node, is_prefix=False)
    tree.reading.found(Effect.READ, GateReason.ONLY_SETS_A_VARIABLE_OF_THIS_SHELL.of(), tree.word(node))


def keep_assignment(tree: Tree, node: Node, *, is_prefix: bool) -> None:
    """Remember what an assignment gives, and see whether it changes what programs run."""
    found = SINGLE.match(tree.text(node))
    value = node.child_by_field_name("value")
    if found is None:
        tree.reading.found(Effect.UNKNOWN, GateReason.ASSIGNS_IN_AN_UNKNOWN_WAY.of(), tree.word(node))
        return
    name, index, operator = found.groups()
    scope = tree.scope
    words = _values(value, tree, scope) if value is not None else ()
    if index:
        words = (OPAQUE,)
    if any("[" in word and SUBSCRIPT.search(word) for word in words):
        tree.reading.may_wake()
    old = scope.values.get(name)
    if operator == "+=":
        words = appended(old, words, is_array=value is not None and value.type == "array")
    # What is given once more in the same shell is what it is from then on.
    is_certain = not is_prefix and not index and is_straight(tree, node)
    is_certain = is_certain and (operator == "=" or old is not None)
    keep(scope, name, words, joined=not is_certain and (name in scope.values or operator == "+="))
    told = (
        tree.reading.choices_of(tree.word(value).but(words[0]), scope) if value and len(words) == 1 else None
    )
    scope.may_be(name, words if told is None else told)
    computed.note_value(
        tree, name, [value] if value is not None else [], stays=bool(index) or operator == "+="
    )
    # In front of a command it counts for that command alone.
    if name == "IFS" and not is_prefix:
        scope.splits_elsewhere = True
    # Of a list that is put together the mark alone would pass for a folder of the system.
    if name in FOLDERS and value is not None and is_made_up(tree.text(value), words):
        words = (".",)
    is_inherited = is_prefix or (node.parent is not None and node.parent.type == "declaration_command")
    tree.reading.inherits(name, " ".join(words) if is_inherited else "")
    check(
        tree.reading,
        scope,
        tree.piece.nesting,
        name,
        ("; " if name in COMMANDS else " ").join(words),  # each of a list is one of its own
        tree.word(node),
        is_inherited=is_inherited,
    )
    if (
        node.parent is not None and not is_prefix and REFERS.match(tree.text(node.parent))
    ):  # what it is a name for
        check(tree.reading, scope, tree.piece.nesting, " ".join(words), OPAQUE, tree.word(node))
        shows_by_name(tree, words, node)
    is_list = bool(index) or (value is not None and value.type == "array")
    if is_list and name in OF_ZSH and f"A {name}" not in tree.reading.source:
        _check_of_zsh(tree, node, name, words)


def shows_by_name(tree: Tree, names: Sequence[str], node: Node) -> None:
    """A variable that is asked for by a name which another one holds: `${!x}`, `declare -n`."""
    if any(SECRET_VARIABLE.search(name) or GIVEN.search(name) for name in names):
        reason = GateReason.SHOWS_A_VARIABLE_WITH_SECRETS.of(name=shown(tree.text(node)))
        tree.reading.flag(Flag.SECRET, reason, tree.word(node))


def is_straight(tree: Tree, node: Node) -> bool:
    """Whether an assignment is made in any case, once, and in this shell: no list, branch, loop or pipe."""
    # A function may be called in between, and shells in the line are read in another order.
    if tree.scope.functions or tree.piece.nesting:
        return False
    outer = node.parent
    while outer is not None and outer.type == "variable_assignments":
        outer = outer.parent
    follower = node.next_sibling
    return outer is not None and outer.type == "program" and (follower is None or follower.type != "&")


REFERS = re.compile(r"(?:declare|typeset|local)\s+(?:-\w+\s+)*-\w*n")

# Lists by which zsh finds programs and functions, and tables that are what it runs.
OF_ZSH = {
    "path": "PATH",
    "cdpath": "CDPATH",
    "fpath": "FPATH",
    "module_path": "LD_LIBRARY_PATH",
    **dict.fromkeys(("commands", "functions", "aliases", "galiases", "saliases", "mapfile"), ""),
}


def _check_of_zsh(tree: Tree, node: Node, name: str, words: tuple[str, ...]) -> None:
    """bash knows these as names of no meaning, so a list that the line declares itself is none of them."""
    if OF_ZSH[name]:
        folders = ":".join(word for word in words if f"${name}" not in word)
        check(tree.reading, tree.scope, tree.piece.nesting, OF_ZSH[name], folders, tree.word(node))
    else:
        reason = GateReason.MAKES_PROGRAMS_LOAD_OTHER_CODE.of(name=name)
        tree.reading.found(Effect.UNKNOWN, reason, tree.word(node))


def appended(old: tuple[str, ...] | None, new: tuple[str, ...], *, is_array: bool) -> tuple[str, ...]:
    before = old or (OPAQUE,)
    return (*before, *new) if is_array else ("".join(before) + "".join(new),)


def _values(value: Node, tree: Tree, scope: Scope) -> tuple[str, ...]:
    if value.type == "array":
        return tuple(word.text for child in value.named_children for word in words_of(child, tree, scope))
    # Nothing splits here, so a value is one word until it is used without quotes.
    return (" ".join(word.text for word in words_of(value, tree, scope)).replace(LOOSE, ""),)


def keep(scope: Scope, name: str, words: tuple[str, ...], *, joined: bool) -> None:
    """Remember a value. One that is given twice may be either: then only that it is harmless is kept."""
    old = scope.values.get(name, ())
    if not joined or old == words:
        scope.values[name] = words
        return
    # Which of two values counts depends on branches and loops that are not followed.
    texts = [*(old or ()), *words]
    scope.values[name] = (OPAQUE,) if any(map(could_be_code, texts)) else None


def could_be_code(text: str) -> bool:
    return text.startswith("-") or " -" in text or OPAQUE in text or bool(re.search(r"[;&|`$<>]", text))


def assign_unknown(tree: Tree, name: str, texts: list[str]) -> None:
    """A loop variable: one of these."""
    scope = tree.scope
    scope.may_be(name, texts)
    if len(texts) == 1 and not ANY_MARK.search(texts[0]) and not re.search(r"[*?\[]", texts[0]):
        keep(scope, name, (texts[0],), joined=name in scope.values)
    elif any(map(could_be_code, texts)):
        scope.values[name] = (OPAQUE,)
    elif name not in scope.values or scope.values[name] != (OPAQUE,):
        given = [text for text in texts if OUTPUT in text]
        is_names = not any(map(GIVEN.search, given))
        scope.values[name] = ((OUTPUT + NAMES if is_names else OUTPUT),) if given else None
    place = Word(name, tree.piece.start, tree.piece.end)
    tree.reading.inherits(name, "")
    check(tree.reading, scope, tree.piece.nesting, name, OPAQUE if texts else "", place, is_inherited=False)


def check(
    reading: Reading,
    scope: Scope,
    nesting: int,
    name: str,
    value: str,
    place: Word,
    *,
    is_inherited: bool = True,
) -> None:
    """Does this variable change what is run? `is_inherited`: commands surely get it, not only this shell."""
    # As bash exports functions; before Shellshock was mended, the rest of it ran as well.
    if value.startswith("() {"):
        reading.found(Effect.UNKNOWN, GateReason.INHERITED_FUNCTION.of(name=name), place)
    is_known = name in FOLDERS or name in MEMBERS or bool(FAMILIES.match(name) or CODE.match(name))
    by_name = is_inherited and not is_known and name not in HARMLESS
    if name in COMMANDS or (by_name and RUNS.fullmatch(name)):
        if not HARMLESS_COMMANDS.fullmatch(value):
            # Judged as if it ran now: a pager that only shows is harmless, one that removes files is not.
            if re.match(r"\s*[\w./~-]+", value) and not ANY_MARK.search(value):
                reading.shell(value, place, nesting, scope)
            else:
                reading.found(Effect.UNKNOWN, GateReason.MAKES_PROGRAMS_RUN_A_COMMAND.of(name=name), place)
    elif name in COMPUTED:
        reading.evaluates(place)
    elif is_inherited and SERVERS.fullmatch(name):
        _signs_in(reading, name, value, place)
    elif loads_code(name, value) or (by_name and is_place_of_code(name, value)):
        if value.strip():
            reading.found(Effect.UNKNOWN, GateReason.MAKES_PROGRAMS_LOAD_OTHER_CODE.of(name=name), place)
    elif name in FOLDERS:
        _arms(reading, name, value, place, nesting)


def _signs_in(reading: Reading, name: str, value: str, place: Word) -> None:
    if is_elsewhere(value) and not AT_HOME.search(value):
        reading.flag(Flag.SENDS, GateReason.SENDS_CREDENTIALS.of(name=name), place)


# What is left of a list, what stands before or behind another one, a default in the system's own folders.
_USUAL_PART = re.compile(
    r"\$\{(\w+):?\+(?::\$\{?\1\}?|\$\{?\1\}?:)\}|\$\{\w+(?::?-(?:/[^$`}]*)?|[#%](?![#%])[^$`}]*|%%:\*)\}"
)
_LIST_OR_FOLDER = re.compile(r"(?i)PATH|HOME|DIR|ROOT|PREFIX|BIN|PWD|FOLDER")
_ALONE = re.compile(r"\$\{?(\w+|[^\w\s({])\}?")


def is_made_up(written: str, words: Sequence[str]) -> bool:
    """Whether a list of folders has a part that is put together in a way which is not followed, or that is
    one variable which holds no folder: `PATH=${x:-.}`, `PATH=$#`. An empty list is the working folder.
    """
    if not any(VARIABLE in word for word in words):
        return False
    rest = _USUAL_PART.sub("", written.replace('"', ""))
    if "${" in re.sub(r"\$\{\w+\}", "", rest):
        return True
    alone = (_ALONE.fullmatch(part) for part in rest.split(":"))
    return any(part is not None and not _LIST_OR_FOLDER.search(part[1]) for part in alone)


def _arms(reading: Reading, name: str, value: str, place: Word, nesting: int) -> None:
    folders = value.split(";" if "\\" in value else ":")
    # What lies in the project is its own code, in whichever home folder that is.
    own = [each for each in folders if each[:1] == "/" and is_below_folder(reading, each)]
    if name in FOLDER_IS_CODE or own or not all(map(STANDARD.match, folders)):
        # Found only once a program runs: a variable that nobody uses does nothing.
        reason = GateReason.CHANGES_CODE_OF_PROGRAMS.of(name=name)
        reading.armed = (reason, place)
        # A text that is evaluated is read behind the line that it stands in, whose programs have been judged.
        if nesting:
            reading.found(Effect.UNKNOWN, reason, place)


def is_below_folder(reading: Reading, path: str) -> bool:
    """Whether an absolute path lies in the folder, or the project, that the line works in."""
    return reading.folder is not None and not is_outside(path, reading.folder, reading.root)


# -- builtins that give names their values ---------------------------------------------------------


def change_scope(tree: Tree, node: Node, words: Sequence[Word], stdin: Stdin | None) -> None:
    """`set --`, `read`, `mapfile`, `printf -v`, `getopts`: names get values."""
    words = _apart(words)
    texts = [word.text for word in words]
    scope = tree.scope
    match texts:
        case ["set", *rest] if "--" in rest:
            set_parameters(scope, tuple(rest[rest.index("--") + 1 :]))
        case ["set", first, *rest] if not first.startswith(("-", "+")):
            set_parameters(scope, (first, *rest))
        case ["read" | "mapfile" | "readarray", *rest]:
            spelled_out = (stdin is not None and stdin.text is not None) or tree.reading.inline_input
            fed = stdin_of(tree, node)
            given = OUTPUT + NAMES if fed is not None and fed.is_names else OUTPUT
            read_into(scope, rest, OPAQUE if spelled_out else given)
            _check_names(tree, words[1:])
        case ["printf", "-v", name, *rest]:
            scope.values[name] = (OPAQUE,) if any(map(could_be_code, rest)) else None
            printed = output_of([words[0], *words[3:]], None)
            is_told = printed is not None and not ANY_MARK.search(printed)
            if printed is not None and is_told and is_straight(tree, node):
                scope.values[name] = (printed,)
            scope.may_be(name, (printed,) if printed is not None else (OPAQUE,))
            _check_names(tree, words[2:3])
        case ["wait", *_] if "-p" in texts[:-1]:
            _check_names(tree, words[texts.index("-p") + 1 :][:1])
        case ["let", *_]:
            for word in words[1:]:
                scope.values[word.text.partition("=")[0]] = None
                check_computed(tree, word)
        case ["getopts", _, name, *_]:
            scope.values[name] = None
            scope.values["OPTARG"] = (OUTPUT,)
            _check_names(tree, words[2:3])
        case _:
            return


def _apart(words: Sequence[Word]) -> Sequence[Word]:
    """`printf -vNAME` as `printf -v NAME`."""
    if len(words) < 2 or words[0].text != "printf" or not re.match(r"-v.", words[1].text):
        return words
    return [words[0], words[1].but("-v"), words[1].but(words[1].text[2:]), *words[2:]]


def _check_names(tree: Tree, names: Sequence[Word]) -> None:
    """Names that get a value which the line may not show: do they change what programs run?"""
    for word in names:
        check(tree.reading, tree.scope, tree.piece.nesting, word.text, OPAQUE, word, is_inherited=False)


GIVES = re.compile(r"\$\{(!?)(\w+):?=(.*)\}", re.DOTALL)


def give_default(tree: Tree, node: Node) -> None:
    """`${x:=value}` gives x a value, as an assignment does."""
    found = GIVES.fullmatch(tree.text(node))
    if found is None:
        return
    is_indirect, name, text = found.groups()
    value = VARIABLE if re.search(r"[$`]", text) else text.strip("\"'")
    scope, nesting, place = tree.scope, tree.piece.nesting, tree.word(node)
    for each in (scope.values.get(name) or ()) if is_indirect else (name,):
        check(tree.reading, scope, nesting, each, value, place, is_inherited=False)


COMPUTES = re.compile(r"(?<![\w$])([A-Z_]\w*)\s*(?:[-+*/%&^|]|<<|>>)?=(?!=)")


def check_computed(tree: Tree, word: Word) -> None:
    """`((PATH = 1))`: an expression gives values, too."""
    for name in COMPUTES.findall(word.text):
        check(tree.reading, tree.scope, tree.piece.nesting, name, OPAQUE, word, is_inherited=False)


EVALUATES_NAMES = frozenset({"read", "mapfile", "readarray", "unset", "wait", "getopts"})
DECLARES = frozenset({"declare", "typeset", "local", "export", "readonly"})


def evaluates(name: str, arguments: Sequence[str]) -> bool:
    """Whether a builtin computes with an argument, or takes it for a name that may have a subscript."""
    match name:
        case "let":
            return True
        case "test" | "[":
            return "-v" in arguments or "-R" in arguments
        case "printf":
            return any(argument.startswith("-v") for argument in arguments[:1])
        case _ if name in DECLARES:
            options = [argument for argument in arguments if argument.startswith("-")]
            return any("i" in option or "n" in option for option in options) or any(
                "[" in argument for argument in arguments
            )
        case _:
            return name in EVALUATES_NAMES and any("[" in argument for argument in arguments)


def set_parameters(scope: Scope, values: tuple[str, ...]) -> None:
    scope.values["@"] = scope.values["*"] = values
    for number, value in enumerate(values, 1):
        scope.values[str(number)] = (value,)


def stdin_of(tree: Tree, node: Node) -> Stdin | None:
    """The input of a command, or of the group or loop that it stands in."""
    outer: Node | None = node
    while outer is not None:
        stdin = tree.stdin.get(outer.id)
        if stdin is not None:
            return stdin
        outer = outer.parent
    return None


def read_into(scope: Scope, names: Sequence[str], text: str) -> None:
    value = (text,)
    for name in names:
        if name.isidentifier():
            scope.values[name] = value
            scope.may_be(name, value)
    scope.values["REPLY"] = scope.values["MAPFILE"] = value
