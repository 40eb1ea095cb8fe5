"""Every file format: what comes back is what went in, other programs' files are read, and nonsense is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bnml.data.labels import Reading
from bnml.errors import FormatError, NetworkError
from bnml.graph import DAG
from bnml.network.formats import _xml, bif, dsc, json, net, xdsl, xmlbif
from bnml.network.formats._names import identifiers
from bnml.network.network import BayesianNetwork

FORMATS = {"bif": bif, "xmlbif": xmlbif, "net": net, "dsc": dsc, "xdsl": xdsl, "json": json}
each_format = pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)

ODD = [
    *[
        "<5",
        "12+",
        "Asy/Patch",
        "None",
        "x,y",
        'ä"q',
        " a",
        "a ",
        "a b",
        "{",
        "}",
        "(a)",
        "a|b",
        "a;b",
        "a//b",
        "/*",
        "%",
    ],
    *[
        "",
        "\n",
        "a\r\nb",
        "\\",
        "\\n",
        "'",
        "&amp;",
        "<!--",
        "]]>",
        "\0",
        "\x1f",
        "\x85",
        "\ufffe",
        "\ud800",
        "🎲",
        "0",
    ],
    *["-1", "1e-5", "nan", "node", "default", "table", "a_b", "x12_", "A", "\u2028", "\xa0x", "0-3_days", ">=7.5", ","],
]

texts = st.one_of(st.sampled_from(ODD), st.text(max_size=6), st.sampled_from("ABCDEFGH"))


@st.composite
def networks(draw: st.DrawFn, labels: st.SearchStrategy[object] = texts) -> BayesianNetwork:
    """Draw a network with any names and labels."""
    names = draw(st.lists(texts.filter(bool), min_size=1, max_size=4, unique=True))
    order = draw(st.permutations(names))
    arcs = [(a, b) for j, b in enumerate(order) for a in order[:j] if draw(st.booleans())]
    dag = DAG(names, arcs)
    states = {x: draw(st.lists(labels, min_size=1, max_size=3, unique_by=str)) for x in names}
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    tables = {}
    for x in names:
        shape = [len(states[v]) for v in (*dag.parents(x), x)]
        table = rng.dirichlet(np.full(shape[-1], 0.05), shape[:-1])  # mostly near 0 and 1, down to 1e-300
        tables[x] = np.where(np.isnan(table), 1.0 / shape[-1], table)
    return BayesianNetwork(dag, states, tables)


def there_and_back(form, network):
    return form.read(form.write(network).encode(), "some file")


def assert_same(back, network):
    assert back == network
    assert back.names == network.names
    for x in network.names:
        assert back.probabilities(x).tobytes() == network.probabilities(x).tobytes()


@each_format
@given(network=networks())
def test_round_trip(form, network):
    assert_same(there_and_back(form, network), network)


@each_format
@pytest.mark.parametrize("odd", [text for text in ODD if text], ids=repr)
def test_every_odd_text_is_kept(form, odd):
    dag = DAG([odd, "z", "y"], [("y", odd), (odd, "z")])
    states = {odd: [odd, "z"], "z": ["z", odd], "y": ["", odd]}
    tables = {odd: [[1 / 3, 2 / 3], [1e-300, 1.0]], "z": [[0.1, 0.9], [0.7, 0.3]], "y": [5e-324, 1.0]}
    network = BayesianNetwork(dag, states, tables)
    assert_same(there_and_back(form, network), network)


@given(
    network=networks(st.one_of(texts, st.integers(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False)))
)
def test_json_keeps_the_types_of_labels(network):
    back = there_and_back(json, network)
    assert_same(back, network)
    assert all(
        [type(label) for label in back.states[x]] == [type(label) for label in network.states[x]] for x in network.names
    )


def whole_and_fraction() -> BayesianNetwork:
    states = {"n": [1, 2], "b": [False, True], "f": [0.5, 1.5], "i": [np.int64(7), np.int64(8)]}
    return BayesianNetwork(DAG(states), states, {x: [0.25, 0.75] for x in states}, {"f": [1.0], "n": (1.5,)})


def test_json_keeps_cuts():
    network = whole_and_fraction()
    back = there_and_back(json, network)
    assert back == network
    assert dict(back.cuts) == {"f": (1.0,), "n": (1.5,)}
    assert type(back.states["i"][0]) is int


@pytest.mark.parametrize(
    ("reading", "version"),
    [
        (Reading(), 1),
        (Reading("drop"), 1),
        (Reading("state", ("NA", "\ud800")), 2),
        (Reading("error", (), ("a",)), 2),
    ],
)
def test_json_keeps_how_tables_were_read(tmp_path, reading, version):
    network = BayesianNetwork(DAG(["a"]), {"a": ["x", "y"]}, {"a": [0.5, 0.5]}, reading=reading)
    back = there_and_back(json, network)
    assert back == network
    assert back.reading == reading
    assert f'"version": {version},' in json.write(network), "older readers take what they understand"
    lost = there_and_back(bif, network)
    assert (lost == network) == (version == 1)
    if version == 2:
        with pytest.warns(UserWarning, match=r"not kept in \.bif files, only in \.json"):
            network.save(tmp_path / "n.bif")


def test_json_keeps_medians_of_bins():
    reading = Reading("em", medians=(("x", (0.5, 3.0)),))
    network = BayesianNetwork(DAG(["x"]), {"x": ["<=1", ">1"]}, {"x": [0.5, 0.5]}, {"x": [1.0]}, reading)
    assert there_and_back(json, network).reading.medians == reading.medians
    text = json.write(network)
    assert json.read(text.replace(', "medians": {"x": [0.5, 3.0]}', "").encode(), "x.json") == network
    for wrong in ("[0.5]", "[0.5, 0.7]", "[3.0, 0.5]", "[0.5, 3.0, 4.0]", '["a", 3.0]', "3"):
        with pytest.raises(NetworkError, match="medians"):
            json.read(text.replace("[0.5, 3.0]", wrong).encode(), "x.json")


def test_the_label_of_missing_values():
    """A network of which nothing else is known takes missing values for its state ``?``."""
    parts = DAG(["a"]), {"a": ["x", "?"]}, {"a": [0.5, 0.5]}
    network = BayesianNetwork(*parts, reading=Reading("state"))
    assert there_and_back(bif, network) == network
    strict = BayesianNetwork(*parts, reading=Reading("error"))
    assert there_and_back(json, strict) == strict != there_and_back(bif, strict)


def test_lost_cuts_are_told(tmp_path):
    network = whole_and_fraction()
    with pytest.warns(UserWarning, match=r"cuts of 'f', 'n' are not kept in \.bif files"):
        network.save(tmp_path / "n.bif")
    network.save(tmp_path / "n.json")


@each_format
def test_text_formats_keep_the_texts_of_labels(form):
    back = there_and_back(form, whole_and_fraction())
    assert [str(label) for label in back.states["n"]] == ["1", "2"]
    assert [str(label) for label in back.states["b"]] == ["False", "True"]
    assert [str(label) for label in back.states["f"]] == ["0.5", "1.5"]
    if form is not json:
        assert not back.cuts


@given(st.lists(texts, unique=True))
@example(["a b", "a_b", "a-b", "a_b_2"])
def test_identifiers_differ(words):
    result = identifiers(words)
    assert list(result) == words
    assert len(set(result.values())) == len(words)
    assert all(name.isidentifier() and name.isascii() for name in result.values())


# --- files as other programs write them ---

WET = {
    "rain": [0.8, 0.2],
    "sprinkler": [[0.6, 0.4], [0.99, 0.01]],
    "wet": [[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.01, 0.99]]],  # given rain, sprinkler
}

SAMPLES = {
    "bif as in the repository": (bif, """network unknown {
}
variable rain {
  type discrete [ 2 ] { no, yes };
}
variable sprinkler {
  type discrete [ 2 ] { no, yes };
}
variable wet {
  type discrete [ 2 ] { no, yes };
}
probability ( rain ) {
  table 0.8, 0.2;
}
probability ( sprinkler | rain ) {
  (no) 0.6, 0.4;
  (yes) 0.99, 1e-02;
}
probability ( wet | sprinkler, rain ) {
  (no, no) 1.0, 0.0;
  (yes, no) 0.1, 0.9;
  (no, yes) 0.2, 0.8;
  (yes, yes) 0.01, 0.99;
}
"""),
    "bif as JavaBayes writes it: strings, no commas, no bar, whole tables with the variable slowest": (bif, """
// Bayesian network in the Interchange Format
network "Wet-Grass" { //3 variables and 3 probability distributions
        property "credal-set constant-density-bounded 1.1" ;
}
variable  "rain" { //2 values
        type discrete[2] {  "no"  "yes" };
        property "position = (73, 165; 2)" ;
}
variable  "sprinkler" { type discrete[2] {  "no"  "yes" }; }
variable  "wet" { type discrete[2] {  "no"  "yes" }; }
probability (  "rain" ) { //1 variable(s) and 2 values
        table 0.8 0.2 ;
}
probability (  "sprinkler"  "rain" ) {
        table 0.6 /* no, no */ 0.99 0.4 // yes, no
              0.01 ;
}
probability (  "wet"  "rain"  "sprinkler" ) {
        table 1.0 0.1 0.2 0.01
              0.0 0.9 0.8 0.99 ;
}
"""),
    "bif with a default, commas too many and no blanks": (bif, """network{}variable rain{type discrete[2]{no,yes,};}
variable sprinkler{type discrete[2]{no yes};property x = ";" ;}variable wet{type discrete[2]{no,yes};}
probability(rain){table .8,.2,;}probability(sprinkler|rain){default 0.6,0.4;(yes)99e-2 1E-2;}
probability(wet|rain,sprinkler){(no,no)1,0;(yes,no)+.2,.8;(yes,yes)0.01,0.99;default 0.1,0.9;property "ends";}"""),
    "xmlbif with its document type": (xmlbif, """<?xml version="1.0" encoding="US-ASCII"?>
<!DOCTYPE BIF [
  <!ELEMENT BIF ( NETWORK )*>
  <!ATTLIST BIF VERSION CDATA #REQUIRED>
  <!ELEMENT NETWORK ( NAME, ( PROPERTY | VARIABLE | DEFINITION )* )>
  <!ELEMENT VARIABLE ( NAME, ( OUTCOME | PROPERTY )* ) >
  <!ATTLIST VARIABLE TYPE (nature|decision|utility) "nature">
]>
<BIF VERSION="0.3" xmlns="http://www.cs.ubc.ca/labs/lci/fopi/ve/XMLBIFv0_3">
<NETWORK><NAME>Wet</NAME>
<!-- Variables -->
<VARIABLE TYPE="nature"><NAME>rain</NAME><OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME>
  <PROPERTY>position = (1, 2)</PROPERTY></VARIABLE>
<VARIABLE><NAME> wet </NAME><OUTCOME> no </OUTCOME><OUTCOME>
  yes
</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>sprinkler</NAME><OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME></VARIABLE>
<DEFINITION><FOR>wet</FOR><GIVEN>sprinkler</GIVEN><GIVEN>rain</GIVEN>
  <TABLE>1.0 0.0 <!-- dry --> 0.2 0.8
         0.1 0.9 0.01 0.99</TABLE></DEFINITION>
<DEFINITION><FOR>sprinkler</FOR><GIVEN>rain</GIVEN><TABLE>0.6 0.4 0.99 0.01</TABLE></DEFINITION>
<DEFINITION><FOR>rain</FOR><TABLE>0.8 0.2</TABLE></DEFINITION>
</NETWORK></BIF>
"""),
    "xmlbif 0.2 in small letters": (xmlbif, """<bif version="0.2"><network><name>n</name>
<variable type="discrete"><name>rain</name><value>no</value><value>yes</value></variable>
<variable type="discrete"><name>sprinkler</name><value>no</value><value>yes</value></variable>
<variable type="discrete"><name>wet</name><value>no</value><value>yes</value></variable>
<probability><for>rain</for><table>0.8 0.2</table></probability>
<probability><for>sprinkler</for><given>rain</given><table>0.6 0.4 0.99 0.01</table></probability>
<probability><for>wet</for><given>rain</given><given>sprinkler</given>
<table>1 0 0.1 0.9 0.2 0.8 0.01 0.99</table></probability></network></bif>"""),
    "net as Hugin writes it": (net, """% written by hand
net
{
    node_size = (80 40);
    HR_Grid_X = "10";
}

node rain
{
    label = "Rain; or not";
    position = (100 200);
    states = ("no" "yes");
}
discrete node sprinkler { states = ("no" "yes"); }
node wet
{
    states = ("no"
              "yes");   % two
    HR_Desc = "";
}

potential (rain)
{
    data = ( 0.8 0.2 );
}

potential (sprinkler | rain)
{
    data = ((0.6 0.4)   % rain=no
            (0.99 0.01));
}

potential (wet | rain sprinkler)
{
    model_nodes = ();
    data = (((1.0 0.0)
             (0.1 0.9))
            ((0.2 0.8)
             (0.01 0.99)));
}
"""),
    "net with bare states and a bar too many": (net, """net { name = x; }
node rain { states = (no yes ); }
node sprinkler { states = (no yes ); }
node wet { states = (no yes ); }
potential (rain | ){ data = (0.8 0.2); }
potential (sprinkler | rain){ data = (0.6 0.4 0.99 0.01); }
potential ( wet | sprinkler   rain   ) { data = (((1 0)(0.2 0.8))((0.1 0.9)(0.01 0.99))); }"""),
    "dsc as bnlearn writes it": (dsc, """belief network "unknown"
node rain {
  type : discrete [ 2 ] = { "no", "yes" };
}
node sprinkler {
  type : discrete [ 2 ] = { "no", "yes" };
}
node wet {
  type : discrete [ 2 ] = { "no", "yes" };
}
probability ( rain ) {
   0.8, 0.2;
}
probability ( sprinkler | rain ) {
  (0) : 0.6, 0.4;
  (1) : 0.99, 0.01;
}
probability ( wet | sprinkler, rain ) {
  (0, 0) : 1.0, 0.0;
  (1, 0) : 0.1, 0.9;
  (0, 1) : 0.2, 0.8;
  (1, 1) : 0.01, 0.99;
}
"""),
    "dsc with attributes, a default and a whole table": (dsc, """// comment
belief network "Sub0";
properties { type Standard = choice of [a, b]; x is string; }
node rain
{
    name : "It rains; perhaps";
    type : discrete[2] =
    {
        "no",
        "yes"
    };
    position : (207, 95);
}
node sprinkler { type = discrete[2] { "no", "yes" }; }
node wet { type is discrete[2] = { "no", "yes" }; }
probability (rain) { 0.8, 0.2; }
probability (sprinkler | rain) { default : 0.6, 0.4; (1) : 0.99, 0.01
  ; }
probability (wet | rain, sprinkler) { 1.0, 0.0; 0.1, 0.9; /* rain */ 0.2, 0.8; 0.01, 0.99; }"""),
    "xdsl as GeNIe writes it": (xdsl, """<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- This network was created in GeNIe -->
<smile version="1.0" id="Network1" numsamples="1000" discsamples="10000">
	<nodes>
		<cpt id="rain" diagtype="observation">
			<state id="no" />
			<state id="yes" fault="true" />
			<property id="note">h\xe9</property>
			<probabilities>0.8 0.2</probabilities>
		</cpt>
		<cpt id="sprinkler">
			<state id="no" />
			<state id="yes" />
			<parents>rain</parents>
			<probabilities>0.6 0.4 0.99 0.01</probabilities>
		</cpt>
		<cpt id="wet">
			<state id="no" />
			<state id="yes" />
			<parents>rain sprinkler</parents>
			<probabilities>1 0 0.1 0.9 0.2 0.8 0.01 0.99</probabilities>
		</cpt>
	</nodes>
	<extensions>
		<genie version="1.0" app="GeNIe 2.0" name="Network1" faultnameformat="nodestate">
			<submodel id="part"><node id="wet"><name>Gras na\xdf</name><position>1 2 3 4</position></node></submodel>
		</genie>
	</extensions>
</smile>
""".encode("latin-1")),
    "json": (json, """{"version": 1, "variables": [
{"name": "rain", "states": ["no", "yes"], "parents": [], "table": [[0.8, 0.2]]},
{"table": [[1, 0], [0.2, 0.8], [0.1, 0.9], [0.01, 0.99]], "name": "wet",
 "parents": ["sprinkler", "rain"], "states": ["no", "yes"]},
{"name": "sprinkler", "states": ["no", "yes"], "parents": ["rain"],
 "table": [[0.6, 0.4], [0.99, 0.01]], "note": {"any": [1]}}
], "format": "bnml network", "made by": "hand"}"""),
}  # fmt: skip


@pytest.mark.parametrize(("form", "text"), SAMPLES.values(), ids=SAMPLES)
def test_files_of_other_programs(form, text):
    network = form.read(text if isinstance(text, bytes) else text.encode(), "sample")
    assert set(network.dag.arcs) == {("rain", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet")}
    assert all(states == ("no", "yes") for states in network.states.values())
    expected = BayesianNetwork(DAG.parse("[rain][sprinkler|rain][wet|rain:sprinkler]"), network.states, WET)
    assert network == expected
    assert form.read(b"\xef\xbb\xbf" + text.encode(), "sample") == expected if isinstance(text, str) else True


def test_bif_takes_labels_of_several_words_between_commas():
    network = bif.read(
        b"""network unknown {}
variable M. Work { type discrete [ 2 ] {not empty, >=7.5}; }
variable b { type discrete [ 3 ] {<5, 12+, Asy/Patch}; }
probability ( M. Work ) { table 0.5, 0.5; }
probability ( b | M. Work ) { (not empty) 0.1, 0.2, 0.7; (>=7.5) 0.2, 0.2, 0.6; }""",
        "sample",
    )
    assert network.names == ("M. Work", "b")
    assert network.states["M. Work"] == ("not empty", ">=7.5")
    assert network.states["b"] == ("<5", "12+", "Asy/Patch")


def test_xdsl_reads_deterministic_nodes():
    network = xdsl.read(
        b"""<smile version="1.0"><nodes>
<cpt id="a"><state id="x"/><state id="y"/><probabilities>0.5 0.5</probabilities></cpt>
<deterministic id="b"><state id="u"/><state id="v"/><state id="w"/><parents>a</parents>
<resultingstates>w u</resultingstates></deterministic></nodes></smile>""",
        "sample",
    )
    assert network.probabilities("b").tolist() == [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("results", "message"),
    [("x", "has 'x', which is no state"), ("u u", "expected 1 states in <resultingstates>, found 2")],
)
def test_xdsl_refuses_results_that_are_no_states(results, message):
    text = f"""<smile><nodes><deterministic id="b"><state id="u"/>
<resultingstates>{results}</resultingstates></deterministic></nodes></smile>"""
    with pytest.raises(FormatError, match=f"line 2: .*{message}"):
        xdsl.read(text.encode(), "FILE")


def test_rounded_rows_are_normalised():
    network = bif.read(
        b"network x {} variable a { type discrete [3] {u, v, w}; } probability (a) { table 0.333 0.333 0.3335; }", "f"
    )
    assert network.probabilities("a").sum() == pytest.approx(1.0, abs=1e-15)


def test_names_in_bif_are_bare_where_other_programs_can_read_them():
    states = {"wet grass": ["<5", "a b", "default"]}
    text = bif.write(BayesianNetwork(DAG(states), states, {"wet grass": [0.5, 0.25, 0.25]}))
    assert 'variable "wet grass" {' in text
    assert '{ <5, "a b", "default" };' in text


# --- nonsense ---

BIF = """network unknown {
}
variable a {
  type discrete [ 2 ] { no, yes };
}
variable b {
  type discrete [ 2 ] { no, yes };
}
probability ( a ) {
  table 0.8, 0.2;
}
probability ( b | a ) {
  (no) 0.6, 0.4;
  (yes) 0.99, 0.01;
}
"""
XMLBIF = """<?xml version="1.0"?>
<BIF VERSION="0.3"><NETWORK>
<VARIABLE TYPE="nature"><NAME>a</NAME><OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>b</NAME><OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME></VARIABLE>
<DEFINITION><FOR>a</FOR><TABLE>0.8 0.2</TABLE></DEFINITION>
<DEFINITION><FOR>b</FOR><GIVEN>a</GIVEN>
<TABLE>0.6 0.4 0.99 0.01</TABLE></DEFINITION>
</NETWORK></BIF>
"""
NET = """net
{
}
node a { states = ("no" "yes"); }
node b { states = ("no" "yes"); }
potential (a) { data = (0.8 0.2); }
potential (b | a)
{
  data = ((0.6 0.4) (0.99 0.01));
}
"""
DSC = """belief network "unknown"
node a { type : discrete [ 2 ] = { "no", "yes" }; }
node b { type : discrete [ 2 ] = { "no", "yes" }; }
probability ( a ) { 0.8, 0.2; }
probability ( b | a ) {
  (0) : 0.6, 0.4;
  (1) : 0.99, 0.01;
}
"""
XDSL = """<?xml version="1.0"?>
<smile version="1.0"><nodes>
<cpt id="a"><state id="no"/><state id="yes"/><probabilities>0.8 0.2</probabilities></cpt>
<cpt id="b"><state id="no"/><state id="yes"/><parents>a</parents>
<probabilities>0.6 0.4 0.99 0.01</probabilities></cpt>
</nodes></smile>
"""
JSON = """{"format": "bnml network", "version": 1,
"variables": [
{"name": "a", "states": ["no", "yes"], "parents": [], "table": [[0.8, 0.2]]},
{"name": "b", "states": ["no", "yes"], "parents": ["a"], "table": [[0.6, 0.4], [0.99, 0.01]]}
]}
"""
GOOD = {"bif": BIF, "xmlbif": XMLBIF, "net": NET, "dsc": DSC, "xdsl": XDSL, "json": JSON}

# format, what is replaced, by what, the line, a part of the message
BAD = [
    ("bif", "network unknown", "nothing at all", 1, "expected 'network'"),
    ("bif", "variable a", "variabel a", 3, "expected 'variable' or 'probability', found 'variabel'"),
    ("bif", "variable a {", "variable a, c {", 3, "expected one name"),
    ("bif", "type discrete [ 2 ] { no, yes };", "type continuous;", 4, "not discrete"),
    ("bif", "type discrete [ 2 ] { no, yes };", "", 3, "no type"),
    ("bif", "[ 2 ]", "[ 3 ]", 4, "expected 3 states, found 2"),
    ("bif", "[ 2 ]", "[ 2.0 ]", 4, "expected ']'"),
    ("bif", "[ 2 ]", "[ two ]", 4, "expected the number of states, found 'two'"),
    ("bif", "[ 2 ]", "[ 99999999999 ]", 4, "expected the number of states"),
    ("bif", "{ no, yes };", "{ no, no };", 3, "the state 'no' twice"),
    ("bif", "[ 2 ] { no, yes }", "[ 0 ] { }", 3, "has no states"),
    ("bif", "variable b", "variable a", 6, "the variable 'a' is declared a second time"),
    ("bif", "variable b {", 'variable "" {', 6, "without a name"),
    ("bif", "variable b {", 'variable "b {', 6, "a string that is not closed"),
    ("bif", "variable b {", "variable b /* {", 6, "a comment that is not closed"),
    ("bif", "( b | a )", "( b | c )", 12, "there is no variable 'c' so far"),
    ("bif", "( b | a )", "( b | a a )", 12, "must differ"),
    ("bif", "( b | a )", "( b | b )", 12, "must differ"),
    ("bif", "( b | a )", "( a, b | a )", 12, "one variable, and its parents after '|'"),
    ("bif", "( b | a )", "( )", 12, "one variable, and its parents after '|'"),
    ("bif", "( b | a )", "( a | b )", 12, "a second table for 'a'"),
    ("bif", "0.8, 0.2", "0.8", 10, "expected 2 probabilities in the table of 'a', found 1"),
    ("bif", "0.8, 0.2", "0.8, 0.3", 10, "P(a) is not a distribution: 0.8, 0.3"),
    ("bif", "0.8, 0.2", "1.2, -0.2", 10, "not a distribution: 1.2, -0.2"),
    ("bif", "0.8, 0.2", "0.8, 0.2e", 10, "expected a number, found '0.2e'"),
    ("bif", "0.8, 0.2", "0.8, NaN", 10, "expected a number or ';', found 'NaN'"),
    ("bif", "0.8, 0.2", "1e999, 0", 10, "not a distribution: inf, 0.0"),
    ("bif", "0.8, 0.2;", "0.8, 0.2", 11, "expected a number or ';', found '}'"),
    ("bif", "0.8, 0.2;", "0.8, 0.2; table 0.8, 0.2;", 10, "a second table for 'a'"),
    ("bif", "(no) 0.6, 0.4;", "(no) 0.6;", 13, "expected 2 probabilities in this row of 'b', found 1"),
    ("bif", "(yes) 0.99, 0.01;", "(yes) 0.9, 0.01;", 14, "P(b | a=yes) is not a distribution"),
    ("bif", "(yes) 0.99, 0.01;", "(yess) 0.99, 0.01;", 14, "the parent 'a' has no state 'yess'"),
    ("bif", "(yes) 0.99, 0.01;", "(yes, yes) 0.99, 0.01;", 14, "a state of each of the 1 parents, found 2"),
    ("bif", "(yes) 0.99, 0.01;", "(no) 0.99, 0.01;", 14, "a second row of 'b' for a=no"),
    ("bif", "(yes) 0.99, 0.01;", "", 12, "the table of 'b' has no row for a=yes"),
    ("bif", "(yes) 0.99, 0.01;", "default 1, 0; default 1, 0;", 14, "a second default"),
    ("bif", "(yes) 0.99, 0.01;", "yes 0.99, 0.01;", 14, "expected '(', 'table', 'default', 'property' or '}'"),
    ("bif", "(yes) 0.99, 0.01;\n}\n", "(yes) 0.99", 14, "expected a number or ';', found the end of the file"),
    ("bif", "table 0.8, 0.2;\n}", "property x }", 10, "does not end with ';'"),
    ("bif", BIF[BIF.index("probability ( b") :], "", 6, "there is no table for the variable 'b'"),
    ("bif", "( a ) {\n  table 0.8, 0.2;", "( a | b ) {\n  default 0.8, 0.2;", 12, "a -> b -> a"),
    ("xmlbif", "</OUTCOME></VARIABLE>", "</OUTCOME>", 8, "not well-formed XML"),
    ("xmlbif", "<BIF ", '<!DOCTYPE BIF [<!ENTITY x "y">]>\n<BIF ', 2, "an entity"),
    ("xmlbif", "<BIF ", '<!DOCTYPE BIF SYSTEM "http://localhost/x.dtd">\n<BIF ', None, None),
    ("xmlbif", "<BIF ", f'<!DOCTYPE BIF [<!ATTLIST NAME x CDATA "{"y" * 100}">]>\n<BIF ', 2, "a long default"),
    ("xmlbif", "<NAME>a", "<NAME>&x;", 3, "undefined entity"),
    ("xmlbif", '?xml version="1.0"?', '?xml version="1.0" encoding="martian"?', 1, "encoding"),
    ("xmlbif", "<NETWORK>", f"<NETWORK>{'<x>' * 100}{'</x>' * 100}", 2, "deep"),
    ("xmlbif", "NETWORK>", "NETWORKS>", 2, "one <NETWORK> in <BIF>, found 0"),
    ("xmlbif", "BIF", "FIB", 2, "expected <BIF>, found <FIB>"),
    ("xmlbif", "<NAME>a</NAME>", "", 3, "one <NAME> in <VARIABLE>, found 0"),
    ("xmlbif", "<NAME>b</NAME>", "<NAME>a</NAME>", 4, "second time"),
    ("xmlbif", "<NAME>b</NAME>", "<NAME> </NAME>", 4, "without a name"),
    ("xmlbif", "<NAME>b</NAME>", "<NAME>b</NAME><PROPERTY>bnml_name = b</PROPERTY>", 4, "expected JSON"),
    ("xmlbif", "<NAME>b</NAME>", "<NAME>b</NAME><PROPERTY>bnml_name = 1</PROPERTY>", 4, "expected a name"),
    ("xmlbif", "<NAME>b</NAME>", '<NAME>b</NAME><PROPERTY>bnml_states = ["x"]</PROPERTY>', 4, "a list of 2 labels"),
    ("xmlbif", "<OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME>", "", 3, "no states"),
    ("xmlbif", "nature", "utility", 3, "only 'nature' can be read"),
    ("xmlbif", "<FOR>b</FOR>", "<FOR>c</FOR>", 6, "there is no variable 'c'"),
    ("xmlbif", "<FOR>b</FOR>", "<FOR>a</FOR><FOR>b</FOR>", 6, "one <FOR> in <DEFINITION>, found 2"),
    ("xmlbif", "<FOR>b</FOR>", "<FOR>a</FOR>", 6, "second table"),
    ("xmlbif", "<GIVEN>a</GIVEN>", "<GIVEN>b</GIVEN>", 6, "must differ"),
    ("xmlbif", "<TABLE>0.8 0.2</TABLE>", "", 5, "one <TABLE> in <DEFINITION>, found 0"),
    ("xmlbif", "0.99 0.01", "0.99", 7, "expected 4 probabilities in the table of 'b', found 3"),
    ("xmlbif", "0.99 0.01", "0.99 0,01", 7, "expected numbers in <TABLE>, found '0,01'"),
    ("xmlbif", "0.99 0.01", "0.99 0_0.01", 7, "expected numbers in <TABLE>, found '0_0.01'"),
    ("xmlbif", "0.99 0.01", "0.99 ٠", 7, "expected numbers in <TABLE>, found '٠'"),
    ("xmlbif", "0.99 0.01", "nan 1", 7, "not a distribution"),
    ("net", "net\n", "class x\n", 1, "expected 'net'"),
    ("net", "node a", "continuous node a", 4, "a 'continuous'"),
    ("net", "node a", "nodes a", 4, "expected 'node' or 'potential'"),
    ("net", "node b", "node a", 5, "the node 'a' is declared a second time"),
    ("net", 'states = ("no" "yes");', "", 4, "no states"),
    ("net", 'states = ("no" "yes");', 'states = ("no" "no");', 4, "'no' twice"),
    ("net", 'states = ("no" "yes");', 'states = ("no" "yes"; }', 4, "expected a state or ')', found ';'"),
    ("net", 'states = ("no" "yes");', 'states = ("no" "yes"); states = (x);', 4, "a second time"),
    ("net", 'states = ("no" "yes");', 'states = ("no" "yes"); bnml_name = "b";', 5, "declared a second time"),
    ("net", "(b | a)", "(b | c)", 7, "there is no node 'c' so far"),
    ("net", "(b | a)", "(b a)", 7, "one node, and its parents after '|'"),
    ("net", "(b | a)", "(b | a | a)", 7, "one node, and its parents after '|'"),
    ("net", "0.99 0.01", "0.99", 9, "expected 4 probabilities in the table of 'b', found 3"),
    ("net", "0.99 0.01))", "0.99 0.01)", 9, "brackets that do not match"),
    ("net", "(0.99 0.01))", "(0.99 0.01)) x", 9, "expected a number or ';', found 'x'"),
    ("net", "data = ((0.6 0.4) (0.99 0.01));", "", 7, "has no row for a=no"),
    ("net", "data = ((0.6", "data ((0.6", 9, "expected '='"),
    ("net", "(0.8 0.2)", "(0.8 0.3)", 6, "not a distribution"),
    ("net", "  data = ((0.6 0.4) (0.99 0.01));\n}\n", '  x = "', 9, "does not end with ';'"),
    ("dsc", "belief network", "network", 1, "expected 'belief network'"),
    ("dsc", "node a", "nod a", 2, "expected 'node' or 'probability'"),
    ("dsc", "node b", "node a", 3, "second time"),
    ("dsc", "[ 2 ]", "[ 3 ]", 2, "expected 3 states, found 2"),
    ("dsc", "type : discrete", "type : real", 2, "not discrete"),
    ("dsc", "type : discrete", "type discrete", 2, "expected ':'"),
    ("dsc", 'type : discrete [ 2 ] = { "no", "yes" };', "", 2, "no type"),
    ("dsc", "( b | a )", "( b | c )", 5, "there is no node 'c' so far"),
    ("dsc", "(1) :", "(2) :", 7, "the parent 'a' has no state at position '2'"),
    ("dsc", "(1) :", "(-1) :", 7, "the parent 'a' has no state at position '-1'"),
    ("dsc", "(1) :", "(yes) :", 7, "the parent 'a' has no state at position 'yes'"),
    ("dsc", "(1) :", "(0, 1) :", 7, "a state of each of the 1 parents"),
    ("dsc", "(1) :", "(0) :", 7, "a second row of 'b' for a=no"),
    ("dsc", "(1) :", "(1)", 7, "expected ':', found '0.99'"),
    ("dsc", "(1) :", "other :", 7, "expected a row, 'default' or '}', found 'other'"),
    ("dsc", "(1) :", ": :", 7, "expected a number or ';', found ':'"),
    ("dsc", "(1) :", "", 5, "a second table"),
    ("dsc", "0.8, 0.2;", "0.8;", 4, "expected 2 probabilities"),
    ("dsc", "0.8, 0.2;", "", 4, "has no row"),
    ("xdsl", "smile", "laugh", 2, "expected <smile>"),
    ("xdsl", "<nodes>", "<dynamic/><nodes>", 2, "dynamic"),
    ("xdsl", "nodes>", "leaves>", 2, "one <nodes>"),
    ("xdsl", "cpt", "noisymax", 3, "a <noisymax>"),
    ("xdsl", '<cpt id="b">', "<cpt>", 4, "<cpt> has no id"),
    ("xdsl", '<cpt id="b">', '<cpt id="a">', 4, "second time"),
    ("xdsl", '<state id="no"/>', "<state/>", 3, "<state> has no id"),
    ("xdsl", "<parents>a</parents>", "<parents>c</parents>", 4, "the parent 'c' of 'b' is no node"),
    ("xdsl", "0.99 0.01", "0.99", 5, "expected 4 probabilities"),
    ("xdsl", "<probabilities>0.8 0.2</probabilities>", "", 3, "one <probabilities> in 'a', found 0"),
    ("xdsl", "</cpt>", '<property id="bnml_position">x</property></cpt>', 3, "bnml_position"),
    ("json", '{"format"', '["format"', 1, "expected '{'"),
    ("json", '"version": 1', '"version": 3', 1, "expected version 1 to 2, found 3"),
    ("json", '"version": 1', '"version": true', 1, "expected version 1"),
    ("json", ' "version": 1,', "", 1, "there is no 'version'"),
    ("json", "bnml network", "something else", 1, "expected the format 'bnml network'"),
    ("json", '"version": 1', '"version": 1, "version": 1', 1, "a second time"),
    ("json", '"name": "b"', '"name": "a"', 4, "declared a second time"),
    ("json", '"name": "b"', '"name": 1', 4, "expected a text as 'name'"),
    ("json", '"name": "b"', '"name": "b", "name": "b"', 4, "twice"),
    ("json", '"name": "b",', "", 4, "expected a text as 'name' of a variable, found None"),
    ("json", '["no", "yes"]', '["no", null]', 3, "no text or number"),
    ("json", '["no", "yes"]', '["1", 1]', 3, "the state '1' twice"),
    ("json", '["no", "yes"]', '["no" "yes"]', 3, "not JSON"),
    ("json", '["a"]', '["c"]', 4, "there is no variable 'c' so far. Declared are"),
    ("json", '["a"]', "[[1]]", 4, "not a text"),
    ("json", "0.99, 0.01", "0.99", 4, "expected rows of 2 numbers"),
    ("json", "0.99, 0.01", '0.99, "0.01"', 4, "expected rows of 2 numbers"),
    ("json", "0.99, 0.01", "0.99, NaN", 4, "NaN is no number"),
    ("json", "0.99, 0.01", f"0, {'1' * 400}", 4, "a number above 1"),
    ("json", "0.99, 0.01", f"0, {'1' * 5000}", 4, "not JSON"),
    ("json", '["no", "yes"], "parents": []', '["no", "yes"], "parents": [], "cuts": ["x"]', 3, "cuts"),
    ("json", '"version": 1', '"version": 2, "reading": []', 1, "how a table was read"),
    ("json", '"version": 1', '"version": 2, "reading": {"missing": "x"}', 1, "none of 'error', 'drop', 'state'"),
    ("json", "\n]}\n", "\n]} x", 5, "expected the end of the file, found 'x'"),
    ("json", "\n]}\n", "\n]", 5, "expected ',', found the end of the file"),
    ("json", '{"name": "a"', f"{'[' * 100000}" + '{"name": "a"', 3, "not JSON"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "old", "new", "line", "message"), BAD, ids=[f"{b[0]}-{b[4]}"[:60] for b in BAD])
def test_what_is_malformed_is_refused_with_its_line(form, old, new, line, message):
    text = GOOD[form]
    assert old in text
    changed = text.replace(old, new, 1 if old not in ("BIF", "NETWORK>", "smile", "nodes>", "cpt", "</cpt>") else -1)
    if message is None:
        FORMATS[form].read(changed.encode(), "FILE")
        return
    with pytest.raises(FormatError) as caught:
        FORMATS[form].read(changed.encode(), "FILE")
    assert str(caught.value).startswith(f"FILE, line {line}: ")
    assert message in str(caught.value)


@each_format
@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"\0\0\0", b"\x1f\x8b\x08", b"a\n\xff\xfe", b"\xff" * 99, b"not a network at all"]
)
def test_what_is_no_network_at_all_is_refused(form, content):
    with pytest.raises(FormatError, match=r"^FILE, line \d+: "):
        form.read(content, "FILE")


@pytest.mark.parametrize("form", GOOD)
def test_every_beginning_of_a_file_is_refused(form):
    text = GOOD[form].rstrip()
    for end in range(len(text)):
        with pytest.raises(FormatError, match=r"^FILE, line \d+: "):
            FORMATS[form].read(text[:end].encode(), "FILE")
    FORMATS[form].read(text.encode(), "FILE")


def test_a_table_too_large_is_refused_before_it_is_made():
    states = " ".join(f"s{i}" for i in range(100))
    head = "network x {}\n" + "".join(f"variable v{i} {{ type discrete [ 100 ] {{ {states} }}; }}\n" for i in range(9))
    text = head + "probability ( v0 | v1 v2 v3 v4 v5 v6 v7 v8 ) { default 1; }"
    with pytest.raises(FormatError, match="line 11: the table of 'v0' would have 1000000000000000000 entries"):
        bif.read(text.encode(), "FILE")
    one = "network x {}\n" + "".join(f"variable v{i} {{ type discrete [ 1 ] {{ s }}; }}\n" for i in range(40))
    text = one + f"probability ( v0 | {' '.join(f'v{i}' for i in range(1, 40))} ) {{ default 1; }}"
    with pytest.raises(FormatError, match="39 parents"):
        bif.read(text.encode(), "FILE")


def test_tables_too_large_together_are_refused():
    states = " ".join(f"s{i}" for i in range(80))
    row = "1 " + "0 " * 79
    text = "network x {}\n" + "".join(f"variable v{i} {{ type discrete [ 80 ] {{ {states} }}; }}\n" for i in range(9))
    text += "".join(f"probability ( v{i} | v{i + 1} v{i + 2} ) {{ default {row}; }}\n" for i in range(7))
    with pytest.raises(FormatError, match="more than the file can hold"):
        bif.read(text.encode(), "FILE")


@pytest.mark.parametrize(
    "text",
    [
        "network x {}" + "variable a { type discrete [ 1 ] { s }; }" + "(" * 200_000,
        "network x {}" + "/*" * 200_000,
        "network x {}" + "//\n" * 200_000,
        'network x {} variable "' + "\\" * 400_000,
        "network x {} variable " + "a " * 200_000,
        "network x {} variable " + "/" * 400_000,
        "network x {} variable a { property " + '"' * 400_001,
        "network x {} variable a { property " + "/*" * 200_000,
        "network x {} variable a { type discrete [ " + "9" * 400_000,
        "network x {} variable a { type discrete [ 1 ] { s }; } probability ( a ) { table " + "1e" * 200_000,
        "network x {} variable a { type discrete [ 1 ] { s }; } probability ( a ) { table " + "1 " * 200_000,
    ],
    ids=range(11),
)
def test_long_nonsense_takes_no_long_time(text):
    with pytest.raises(FormatError) as caught:
        bif.read(text.encode(), "FILE")
    assert len(str(caught.value)) < 1000


def test_many_states_take_no_long_time():
    states = " ".join(f"s{i}" for i in range(50_000))
    with pytest.raises(FormatError, match="the state 's7' twice"):
        bif.read(f"network x {{}} variable a {{ type discrete [ 50001 ] {{ {states} s7 }}; }}".encode(), "FILE")
    listed = "".join(f'<state id="s{i}"/>' for i in range(50_000))
    node = f'<deterministic id="b">{listed}<resultingstates>s7</resultingstates></deterministic>'
    network = xdsl.read(f"<smile><nodes>{node}</nodes></smile>".encode(), "FILE")
    assert network.probabilities("b")[7] == 1.0


def test_the_number_of_elements_is_limited(monkeypatch):
    monkeypatch.setattr(_xml, "MOST_ELEMENTS", 100)
    many = f"<smile>\n<nodes>{'<x/>' * 100}</nodes></smile>"
    with pytest.raises(FormatError, match="line 2: more than 100 elements"):
        xdsl.read(many.encode(), "FILE")


def test_a_long_chain_that_closes_is_refused_in_time():
    n = 5000
    text = "network x {}\n" + "".join(f"variable v{i} {{ type discrete [ 1 ] {{ s }}; }}\n" for i in range(n))
    text += "".join(f"probability ( v{i} | v{(i + 1) % n} ) {{ default 1; }}\n" for i in range(n))
    with pytest.raises(FormatError, match=r"line 10001: .*cycle"):
        bif.read(text.encode(), "FILE")


def test_files_of_agrum_are_refused():
    """Its .xdsl has the parents the other way round, so that its tables would be misread."""
    text = GOOD["xdsl"].replace('app="bnml"', 'app="aGrUM 3.3.1"') if 'app="bnml"' in GOOD["xdsl"] else None
    text = text or GOOD["xdsl"].replace("</nodes>", '</nodes><extensions><genie app="aGrUM 3.3.1"/></extensions>', 1)
    with pytest.raises(FormatError, match="aGrUM"):
        FORMATS["xdsl"].read(text.encode(), "a.xdsl")
