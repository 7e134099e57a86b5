# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories from files, this program's own and those of strangers."""

import dataclasses
import io
import json
import math
import string
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib import format as npy

from limberjack.core.trajectory.errors import TrajectoryError
from limberjack.core.trajectory.files import archives, tables
from limberjack.core.trajectory.files.reading import read_trajectory
from limberjack.core.trajectory.touches import TABLES, Table
from limberjack.core.trajectory.trajectory import Trajectory

ENERGIES = ("kinetic", "potential", "dissipated", "supplied")

marks = st.text(string.ascii_letters + string.digits + " ._-:,;'\"[]()éß漢", min_size=1, max_size=8)
plain = marks.map(str.strip).filter(bool)
tricky = st.sampled_from(
    [
        "t",
        "Time",
        "kinetic",
        "q a",
        "qd a",
        "effort a",
        "pose a",
        "wrench a",
        "a.x",
        "a.fx",
        "loop_error",
        "[m]",
        "a [rad]",
        "x [",
        "q",
    ]
)
names = st.one_of(plain, tricky)
finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
numbers_or_nan = st.one_of(finite, st.just(math.nan))


@st.composite
def motions(draw, with_forces: bool = True) -> Trajectory:
    """Any that could be saved: unit quaternions, coordinates that may be nan."""
    frames = draw(st.integers(1, 4))
    links = tuple(draw(st.lists(names, max_size=2, unique=True)))
    q = [(name, draw(st.sampled_from(["rad", "m", ""]))) for name in draw(st.lists(names, max_size=3, unique=True))]
    qd = [(name, draw(st.sampled_from(["rad/s", "m/s"]))) for name in draw(st.lists(names, max_size=3, unique=True))]
    joints = tuple(draw(st.lists(names, min_size=1, max_size=2, unique=True)))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))

    def numbers(*shape, some=numbers_or_nan):
        return np.array([draw(some) for _ in range(math.prod(shape))], dtype=np.float64).reshape(shape)

    X_WL = np.concatenate([numbers(frames, len(links), 3, some=finite), random.normal(size=(frames, len(links), 4))], 2)
    X_WL[:, :, 3:] /= np.linalg.norm(X_WL[:, :, 3:], axis=2, keepdims=True)
    forces = with_forces and draw(st.booleans())
    return Trajectory(
        np.cumsum(random.uniform(1e-6, 2.0, frames)) + random.normal(),
        links,
        X_WL,
        tuple(q),
        numbers(frames, len(q)),
        tuple(qd),
        numbers(frames, len(qd)),
        *(numbers(frames) for _ in ENERGIES),
        efforts=numbers(frames, len(qd)) if forces and qd else None,
        wrench_names=joints if forces else (),
        wrenches=numbers(frames, len(joints), 6) if forces else None,
        loop_error=numbers(frames) if draw(st.booleans()) else None,
    )


@st.composite
def touched(draw) -> Trajectory:
    """With tables of any names and lengths, in frames that some have none of."""
    motion, random = draw(motions()), np.random.default_rng(draw(st.integers(0, 2**32)))
    tables = {}
    for table, kind in TABLES.items():
        count = draw(st.integers(0, 3))
        frame = np.sort(random.integers(0, len(motion), count))
        words = {name: draw(st.lists(names, min_size=count, max_size=count)) for name in ("first", "second")}
        vectors = {name: random.normal(size=(count, 3)) for name in kind.columns()[4:] if name != "gap"}
        tables[table] = kind.of(words | vectors | {"frame": frame, "time": motion.times[frame]} | GAPS[table](count))
    return dataclasses.replace(motion, **tables)


GAPS = {"contacts": lambda count: {"gap": np.linspace(-1e-9, 1e-9, count)}, "impacts": lambda count: {}}


def require_same(one: Trajectory, other: Trajectory) -> None:
    for item in dataclasses.fields(Trajectory):
        before, after = getattr(one, item.name), getattr(other, item.name)
        if isinstance(before, np.ndarray):
            assert np.array_equal(before, after, equal_nan=True), item.name
            assert np.array_equal(np.signbit(before[~np.isnan(before)]), np.signbit(after[~np.isnan(after)])), item.name
        elif isinstance(before, Table):
            assert type(before) is type(after), item.name
            for name in before.columns():
                assert np.array_equal(getattr(before, name), getattr(after, name)), (item.name, name)
        else:
            assert before == after, item.name


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".json", ".CSV"])
def test_what_is_saved_comes_back(suffix, tmp_path_factory):
    """Guards both formats against any names and numbers: all comes back, to the last bit."""
    path = tmp_path_factory.mktemp("round") / f"m{suffix}"

    @settings(max_examples=150, deadline=None)
    @given(motions())
    def come_back(motion: Trajectory) -> None:
        motion.save(path)
        require_same(motion, read_trajectory(path))

    come_back()


@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_what_has_touched_comes_back(suffix, tmp_path_factory):
    """Guards tables of contacts and impacts against any names, frames without lines and tables without any."""
    path = tmp_path_factory.mktemp("round") / f"m{suffix}"

    @settings(max_examples=100, deadline=None)
    @given(touched())
    def come_back(motion: Trajectory) -> None:
        motion.save(path)
        require_same(motion, read_trajectory(path))

    come_back()


def test_joint_curves_come_back(tmp_path_factory):
    """Guards `only_joints` against names that look like other columns."""
    path = tmp_path_factory.mktemp("round") / "m.csv"

    @settings(max_examples=150, deadline=None)
    @given(motions(with_forces=False))
    def come_back(motion: Trajectory) -> None:
        motion.save(path, only_joints=True)
        back = read_trajectory(path)
        assert back.q_names == motion.q_names
        assert np.array_equal(back.q, motion.q, equal_nan=True)
        assert np.array_equal(back.times, motion.times)

    come_back()


def read(tmp_path, content: str | bytes) -> Trajectory:
    path = tmp_path / "log.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_trajectory(path)


@pytest.mark.parametrize(
    "content",
    [
        "time,panda_joint1,lift\n0,0.5,1\n1,0.75,2\n",
        "Time;panda_joint1;lift\n0;0.5;1\n1;0.75;2\n",
        "timestamp\tpanda_joint1\tlift\r\n0\t0.5\t1\r\n1\t0.75\t2\r\n\r\n\r\n",
        "\ufeffT [s], panda_joint1, lift\n0, 0.5, 1\n1, 0.75, 2\n  \n",
        'panda_joint1,"lift",t[ms]\n0.5,1,0\n0.75,2,1e3',
        "time,q panda_joint1,q lift\n0,0.5,1\n1,0.75,2\n",
    ],
)
def test_joint_curves_of_controllers(content, tmp_path):
    """Guards logs as others write them: any separator, line end, case of the time and order of columns."""
    motion = read(tmp_path, content)
    assert motion.q_names == (("panda_joint1", ""), ("lift", ""))
    assert motion.times.tolist() == [0.0, 1.0]
    assert motion.q.tolist() == [[0.5, 1.0], [0.75, 2.0]]
    assert motion.X_WL.shape == (2, 0, 7)
    assert motion.qd.shape == (2, 0)
    assert all(np.isnan(getattr(motion, name)).all() for name in ENERGIES)
    assert motion.efforts is None
    assert motion.wrenches is None


def test_a_joint_named_as_a_part_of_another(tmp_path):
    """Guards the coordinate of a joint from a file whose name begins another joint's name."""
    motion = read(tmp_path, "time,q a,q a.b\n0,0.5,1\n1,0.75,2\n")
    assert motion.joint("a").tolist() == [[0.5], [0.75]]
    assert motion.joint("a.b").tolist() == [[1.0], [2.0]]


def test_units(tmp_path):
    """Guards every unit by its meaning: all numbers come in SI units, under SI names."""
    motion = read(
        tmp_path,
        "time [ms],a [deg],b [cm],c [mm],d[rad],e [m],qd a [deg/s],qd b [cm/s],qd c [mm/s],qd d [rad/s],"
        "box.x [cm],box.y [mm],box.z,box.qw,box.qx,box.qy,box.qz\n1500,180,250,40,1,2,90,10,20,3,300,4,5,2,0,0,0\n",
    )
    assert motion.times == pytest.approx([1.5])
    assert motion.q_names == (("a", "rad"), ("b", "m"), ("c", "m"), ("d", "rad"), ("e", "m"))
    assert motion.q[0] == pytest.approx([math.pi, 2.5, 0.04, 1.0, 2.0])
    assert motion.qd_names == (("a", "rad/s"), ("b", "m/s"), ("c", "m/s"), ("d", "rad/s"))
    assert motion.qd[0] == pytest.approx([math.pi / 2, 0.1, 0.02, 3.0])
    assert motion.X_WL[0, 0] == pytest.approx([3.0, 0.004, 5.0, 1.0, 0.0, 0.0, 0.0])


def test_quaternions_have_length_1(tmp_path):
    """Guards against poses that would scale what they turn, even where squares of the numbers overflow or vanish."""
    for size in (2.0, 1e-200, 1e200):
        head = "t,a.x,a.y,a.z,a.qw,a.qx,a.qy,a.qz,q b.qw,q b.qx,q b.qy,q b.qz\n"
        motion = read(tmp_path, head + f"0,0,0,0,{size},0,0,{-size},0,{size},0,0\n")
        assert motion.X_WL[0, 0, 3:] == pytest.approx([math.sqrt(0.5), 0.0, 0.0, -math.sqrt(0.5)])
        assert motion.q[0] == pytest.approx([0.0, 1.0, 0.0, 0.0])


POSE = "time,a.x,a.y,a.z,a.qw,a.qx,a.qy,a.qz\n"


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        ("", None, "the file is empty"),
        ("\n", 1, "no column of time, found ''"),
        ("a,b\n0,1\n", 1, "no column of time, found 'a,b'; name one of time, t, timestamp"),
        ("time a b\n0 1 2\n", 1, "commas, semicolons, tabs"),
        ("time,a\n", None, "no frames"),
        ("time,a\n0,1\n0,2\n", 3, "times must ascend, found 0 after 0"),
        ("time,a\n0,1\n-1,2\n", 3, "times must ascend, found -1 after 0"),
        ("time,a\nnan,1\n", 2, "times must ascend, found nan"),
        ("time,a\n0,1\n1\n", 3, "1 columns, and the first line has 2"),
        ("time,a\n0,1\n1,2,3\n", 3, "3 columns, and the first line has 2"),
        ("time,a\n0,1\n\n1,2\n", 3, "0 columns, and the first line has 2"),
        ("time,a\n0,1\n1,two\n", 3, "column 2 'a': a number is needed, found 'two'"),
        ("time;a\n0;0,5\n", 2, "column 2 'a': a number is needed, found '0,5'"),
        ("time,a\n0,\n", 2, "column 2 'a': a number is needed, found ''"),
        ("time,a\n0,1\n1,-inf\n", 3, "column 2 'a': a finite number is needed, found infinity"),
        ("time,a,a\n0,1,2\n", 1, "column 3 'a' is column 2 again"),
        ("time,a,q a [rad]\n0,1,2\n", 1, "column 3 'q a [rad]' is column 2 again"),
        ("time,a,T\n0,1,2\n", 1, "column 3 'T' is column 1 again"),
        ("time,a,\n0,1,\n", 1, "column 3 has no name"),
        ("time,a [turns]\n0,1\n", 1, "column 2 'a [turns]': unit 'turns' is not known; allowed: rad, deg, m, cm, mm"),
        ("time [h],a\n0,1\n", 1, "column 1 'time [h]': unit 'h' is not known; allowed: s, ms"),
        ("time,qd a [rad]\n0,1\n", 1, "unit 'rad' is not known; allowed: rad/s, deg/s"),
        ("time,a.x,a.y\n0,1,2\n", 1, "'a.x' is there and 'a.z' is not; a pose needs all of x, y, z, qw, qx, qy, qz"),
        ("time,a.x,a.y,a.z\n0,1,2,3\n", 1, "'a.x' is there and 'a.qw' is not"),
        ("time,a.fx\n0,1\n", 1, "'a.fx' is there and 'a.fy' is not; a wrench needs all of"),
        ("time,effort a\n0,1\n", 1, "'effort a' is there and 'qd a' is not"),
        (POSE + "0,0,0,0,1,0,0,0\n1,0,0,0,0,0,0,0\n", 3, "the quaternion of 'a' is 0 0 0 0"),
        (POSE + "0,0,0,0,1,0,0,0\n1,0,0,nan,1,0,0,0\n", 3, "'a.z': a link's pose needs numbers, found nan"),
        ("time,q b.qw,q b.qx,q b.qy,q b.qz\n0,0,0,0,0\n", 2, "the quaternion of 'b.qw' is 0 0 0 0"),
        (b"time,a\n0,1\n1,\xff\n", 3, "not UTF-8: byte 0xff at 3 of the line"),
        ("time,a\n0,1\n".encode("utf-16"), 1, "not UTF-8"),
        ("time,a\r0,1\r", 1, "no line of names"),
        ("time,a\n0,1\r5,6\n", 2, "no line of numbers"),
        ('time,a\n0,"' + "1" * 200_000 + '"\n', 2, "no line of numbers: field larger"),
    ],
)
def test_what_is_wrong_with_a_table(content, line, said, tmp_path):
    """Guards the one line that a user gets: which file and line, what was found, what is allowed."""
    with pytest.raises(TrajectoryError) as caught:
        read(tmp_path, content)
    told = str(caught.value)
    at = f"{tmp_path / 'log.csv'}:" + (f"{line}:" if line else "")
    assert told.startswith(f"{at} ")
    assert said in told
    assert len(told.splitlines()) == 1


def test_files_without_end(tmp_path, monkeypatch):
    """Guards the machine: a file larger than can be meant, or a line, is refused before it has filled the memory."""
    content = "time,a\n" + "".join(f"{frame},1\n" for frame in range(100))
    monkeypatch.setattr(tables, "MOST_BYTES", 300)
    with pytest.raises(TrajectoryError, match="more than 300 bytes"):
        read(tmp_path, content)
    monkeypatch.setattr(tables, "LONGEST_LINE", 30)
    with pytest.raises(TrajectoryError, match=r"log\.csv:2: a line of 30 bytes"):
        read(tmp_path, "time,a\n0," + "1" * 50)


def test_other_names_and_places(tmp_path):
    """Guards the two errors that there are: a suffix that is not known, and what cannot be opened."""
    with pytest.raises(TrajectoryError, match=r"read from \.npz or \.csv or \.json, not '\.txt'"):
        read_trajectory(tmp_path / "m.txt")
    for suffix in (".csv", ".npz"):
        with pytest.raises(FileNotFoundError):
            read_trajectory(tmp_path / f"nowhere{suffix}")
        (tmp_path / f"folder{suffix}").mkdir()
        with pytest.raises(OSError, match="folder"):
            read_trajectory(tmp_path / f"folder{suffix}")


def arrays(**changed) -> dict:
    """Of a small trajectory, as `save` stores them."""
    found = {
        "times": np.array([0.0, 0.5]),
        "link_names": np.array(["a"]),
        "X_WL": np.tile([1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0], (2, 1, 1)),
        "q_names": np.array([["j", "rad"]]),
        "q": np.zeros((2, 1)),
        "qd_names": np.array([["j", "rad/s"]]),
        "qd": np.zeros((2, 1)),
        **{name: np.zeros(2) for name in ENERGIES},
        "wrench_names": np.array(()),
    }
    return {name: value for name, value in (found | changed).items() if value is not None}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"X_WL": None}, "not a trajectory, it has no 'X_WL'"),
        ({"q": np.zeros((2, 2))}, r"'q' has shape \(2, 2\); its names and times ask for \(2, 1\)"),
        ({"X_WL": np.zeros((2, 7))}, r"'X_WL' has shape \(2, 7\)"),
        ({"kinetic": np.zeros(3)}, "'kinetic' has shape"),
        ({"wrenches": np.zeros((2, 1, 6))}, "'wrenches' has shape"),
        ({"efforts": np.zeros(2)}, "'efforts' has shape"),
        ({"times": np.array([0.5, 0.0])}, "times must ascend"),
        ({"times": np.array([0.0, np.nan])}, "times must ascend"),
        ({"times": np.zeros((2, 1))}, "'times' has shape"),
        ({"q": np.full((2, 1), np.inf)}, "must be finite"),
        ({"X_WL": np.full((2, 1, 7), np.nan)}, "must be finite"),
        ({"X_WL": np.zeros((2, 1, 7))}, "a link's quaternion is 0 0 0 0"),
        ({"q": np.array([[object()], [1]])}, "'q' must hold numbers, found object"),
        ({"link_names": np.array(["a"], dtype=object)}, "'link_names' must hold words, found object"),
        ({"link_names": np.zeros(1)}, "'link_names' must hold words, found float64"),
        ({"link_names": np.array([["a", "b"]])}, "'link_names' has shape"),
        ({"link_names": np.array(["a", "a"]), "X_WL": np.ones((2, 2, 7))}, "holds a name twice"),
        ({"q_names": np.array(["j", "rad"])}, "'q_names' has shape"),
        ({"q": np.array([["1"], ["2"]])}, "'q' must hold numbers, found <U1"),
        ({"times": np.zeros(0)}, "has shape"),
    ],
)
def test_what_is_wrong_with_an_npz(changed, said, tmp_path):
    """Guards against archives of other programs, and that nothing in them is ever unpickled."""
    path = tmp_path / "m.npz"
    np.savez(path, **arrays(**changed))
    with pytest.raises(TrajectoryError, match=said) as caught:
        read_trajectory(path)
    assert str(caught.value).startswith(f"{path}: ")


LINES = {
    "frame": np.array([0, 1]),
    "time": np.array([0.0, 0.5]),
    "first": np.array(["a", "a"]),
    "second": np.array(["b", "b"]),
    **{name: np.zeros((2, 3)) for name in ("point", "normal", "force", "torque")},
    "gap": np.zeros(2),
}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"gap": None}, "'contacts_gap' is not there, and other columns of 'contacts' are"),
        ({"force": np.zeros((2, 2))}, r"'contacts_force' has shape \(2, 2\); 'contacts_frame' asks for \(2, 3\)"),
        ({"gap": np.array([0.0, np.inf])}, "'contacts_gap' must be finite"),
        ({"frame": np.array([0, 2])}, "'contacts_frame' must ascend, in whole numbers from 0 to 1"),
        ({"frame": np.array([1, 0])}, "'contacts_frame' must ascend"),
        ({"frame": np.array([0.0, 0.5])}, "'contacts_frame' must ascend"),
        ({"first": np.zeros(2)}, "'contacts_first' must hold words"),
    ],
)
def test_what_is_wrong_with_contacts(changed, said, tmp_path):
    """Guards tables that others write: all columns, of one length, in frames that there are."""
    path = tmp_path / "m.npz"
    table = {name: value for name, value in (LINES | changed).items() if value is not None}
    np.savez(path, **arrays(), **{f"contacts_{name}": value for name, value in table.items()})
    with pytest.raises(TrajectoryError, match=said):
        read_trajectory(path)


def document(**changed) -> dict:
    """The same trajectory as `arrays`, as plain data."""
    plain = {name: value.tolist() for name, value in arrays().items()}
    return {name: value for name, value in (plain | changed).items() if value is not ...}


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("{", r"m\.json:1: not JSON"),
        ("[1]", "must hold an object, as this program's own do, found a list"),
        ("[" * 100_000, "lists inside each other without end"),
        (b"\xff", "not UTF-8: byte 0xff at 1"),
        (document(X_WL=...), "it has no 'X_WL'"),
        (document(q=[[1.0], [2.0, 3.0]]), "'q' must hold numbers, in lists of the same lengths"),
        (document(q=[["1"], ["2"]]), "'q' must hold numbers"),
        (document(q=[[{}], [None]]), "'q' must hold numbers"),
        (document(link_names=[1]), "'link_names' must hold words"),
        (document(contacts=[[{"first": "a"}]]), "'contacts' must list objects with frame, time, first, second, point"),
        (document(contacts=3), "'contacts' must list objects"),
        (document(impacts={"time": 1.0}), "'impacts' must list objects"),
    ],
)
def test_what_is_wrong_with_a_json(told, said, tmp_path):
    """Guards documents of other programs: one line tells what is missing, and of what kind it must be."""
    path = tmp_path / "m.json"
    path.write_bytes(
        told if isinstance(told, bytes) else (told if isinstance(told, str) else json.dumps(told)).encode()
    )
    with pytest.raises(TrajectoryError, match=said) as caught:
        read_trajectory(path)
    assert len(str(caught.value).splitlines()) == 1
    path.write_text(json.dumps(document(kinetic=[None, 1.0])))
    assert np.isnan(read_trajectory(path).kinetic[0])


def test_an_npz_that_claims_more_than_it_holds(tmp_path, monkeypatch):
    """Guards the memory: neither a header that speaks of terabytes nor an array that unpacks to them is followed."""
    path = tmp_path / "m.npz"
    np.savez(path, **arrays())
    with zipfile.ZipFile(path) as archive:
        contents = {item: archive.read(item) for item in archive.namelist()}
    header = io.BytesIO()
    npy.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (2 * 10**12,)})
    contents["times.npy"] = header.getvalue() + b"01234567"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    with pytest.raises(TrajectoryError, match="breaks off after"):
        read_trajectory(path)
    np.savez_compressed(path, **arrays(q=np.zeros((2, 10**5))))
    monkeypatch.setattr(archives, "MOST_BYTES", 10**5)
    with pytest.raises(TrajectoryError, match=r"arrays of .* bytes; 100,000 are allowed"):
        read_trajectory(path)


def require_read_or_refused(path) -> None:
    try:
        motion = read_trajectory(path)
    except TrajectoryError as error:
        said = str(error)
    else:
        said = f"{path}:"
        assert len(motion) > 0
        assert np.isfinite(motion.X_WL).all()
    assert said.startswith(f"{path}:")
    assert len(said.splitlines()) == 1


def test_a_unit_with_a_line_break_is_told_in_one_line(tmp_path):
    """Guards logs: a vertical tab in a unit once broke the error in two."""
    path = tmp_path / "m.csv"
    path.write_bytes(b"time [\x00\x0bs],q a [rad]\n0,1\n")
    with pytest.raises(TrajectoryError, match=r"unit '  s' is not known; allowed: s, ms") as told:
        read_trajectory(path)
    assert len(str(told.value).splitlines()) == 1


def test_a_name_with_a_line_break_is_told_in_one_line(tmp_path):
    """Guards logs: a vertical tab in a link's name once broke the error in two."""
    path = tmp_path / "m.csv"
    path.write_bytes(b"time,a\x0bb.x\n0,1\n")
    with pytest.raises(TrajectoryError, match=r"'a b\.x' is there and 'a b\.y' is not") as told:
        read_trajectory(path)
    assert len(str(told.value).splitlines()) == 1


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".json"])
def test_hostile_bytes(suffix, tmp_path_factory):
    """Guards every caller: whatever the bytes, a trajectory or a TrajectoryError of one line, and nothing else."""
    path = tmp_path_factory.mktemp("hostile") / f"m{suffix}"
    if suffix == ".npz":
        np.savez_compressed(path, **arrays())
    elif suffix == ".json":
        path.write_text(json.dumps(document(contacts=[[], []])))
    else:
        rows = "0,1,2,3,4,5,1,0,0,0\n1,1,2,3,4,5,1,0,0,0\n"
        path.write_text("time [s],q a [rad],qd a,b.x,b.y,b.z,b.qw,b.qx,b.qy,b.qz\n" + rows)
    good = path.read_bytes()
    edits = st.lists(st.tuples(st.integers(0, len(good) - 1), st.integers(0, 3), st.binary(max_size=3)), max_size=4)

    @settings(max_examples=600, deadline=None)
    @given(st.one_of(edits, st.binary(max_size=80), st.text('time,;\t\n\r"[]qd .xw0159e-inf', max_size=60)))
    def bear(changes: list | bytes | str) -> None:
        data = changes.encode() if isinstance(changes, str) else changes
        if isinstance(changes, list):
            data = good
            for at, cut, new in changes:
                data = data[:at] + new + data[at + cut :]
        path.write_bytes(data)
        require_read_or_refused(path)

    bear()
