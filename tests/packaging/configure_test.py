#!/usr/bin/python3
"""Configures the project with each optional package hidden, half installed or too old in turn.

The build must go on and say what it leaves out. Prints `N passed, M failed` last.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
passed, failed = 0, 0


def check(sentence, holds, why=""):
    global passed, failed
    if holds:
        passed += 1
        print(f"ok    {sentence}")
    else:
        failed += 1
        print(f"FAIL  {sentence}\n      {why}")


def configure(folder, *options):
    command = ["cmake", "-S", SOURCE, "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *options]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    shutil.rmtree(folder / "build", ignore_errors=True)
    return done


def says_no(sentence, folder, feature, *options):
    done = configure(folder, *options)
    line = next((l for l in done.stdout.splitlines() if l.startswith(f"--   {feature}: ")), "")
    output = done.stdout[-2000:] + done.stderr[-2000:]
    check(f"{sentence}: the build is configured", done.returncode == 0, output)
    check(f"{sentence}: the summary says what is left out", line.startswith(f"--   {feature}: no ("), line or output)


def gtest_without_gmock(folder):
    """A copy of GoogleTest's configuration as Debian's libgtest-dev has it alone."""
    found = sorted(Path("/usr/lib").glob("*/cmake/GTest/GTestConfig.cmake"))
    if not found:
        return None
    copy = folder / "usr/lib/x/cmake/GTest"
    copy.mkdir(parents=True)
    for file in found[0].parent.glob("GTest*.cmake"):
        text = file.read_text()
        # the libraries lie where they are, the configuration somewhere else
        first = 'get_filename_component(_IMPORT_PREFIX "${CMAKE_CURRENT_LIST_FILE}" PATH)'
        text = text.replace(first, 'set(_IMPORT_PREFIX "/usr/1/2/3/4")')
        (copy / file.name).write_text(text)
    return copy


def pc_file(folder, version):
    """A pkg-config file of cpp-httplib whose headers are not there."""
    folder.mkdir(parents=True)
    (folder / "cpp-httplib.pc").write_text(
        f"prefix=/nowhere\nName: cpp-httplib\nDescription: none\nVersion: {version}\nCflags: -I/nowhere/include\nLibs:\n"
    )
    return folder


def sundials(folder, version):
    """An include folder of SUNDIALS as that version has it."""
    (folder / "cvode").mkdir(parents=True)
    (folder / "sundials").mkdir()
    (folder / "cvode/cvode.h").write_text("")
    (folder / "sundials/sundials_config.h").write_text(f'#define SUNDIALS_VERSION "{version}"\n')
    return folder


def daqp(folder, version, files):
    """A source folder of DAQP with so many of its ten C files, all empty."""
    names = ["api", "auxiliary", "avi", "bnb", "daqp", "daqp_prox", "eq_elim", "factorization", "hierarchical", "utils"]
    for name in names[:files]:
        (folder / "csrc/src").mkdir(parents=True, exist_ok=True)
        (folder / f"csrc/src/{name}.c").write_text("")
    (folder / "csrc/include").mkdir()
    (folder / "csrc/include/api.h").write_text("")
    (folder / "LICENSE").write_text("")
    (folder / "PKG-INFO").write_text(f"Name: daqp\nVersion: {version}\n")
    return folder


with tempfile.TemporaryDirectory(prefix="coluber-configure-") as name:
    work = Path(name)
    no_tests = ("-DCOLUBER_BUILD_TESTS=OFF", "-DCOLUBER_BUILD_BENCHMARKS=OFF")
    plain = configure(work, *no_tests)
    check("without tests and benchmarks, as script/demo has it, the build is configured", plain.returncode == 0, plain.stderr)

    smooth = "smooth friction of the minimal model"
    says_no("CVODE missing", work, smooth, *no_tests, "-DCMAKE_DISABLE_FIND_PACKAGE_CVODE=ON")
    says_no("CVODE without one of its libraries", work, smooth, *no_tests, "-DCVODE_nvecserial_LIBRARY=OFF")
    says_no("CVODE too old", work, smooth, *no_tests, f"-DCVODE_INCLUDE_DIR={sundials(work / 'old', '5.8.0')}")

    qp = "quadratic programs"
    says_no("DAQP missing", work, qp, *no_tests, f"-DCOLUBER_DAQP_DIR={work / 'nowhere'}")
    says_no("DAQP without one of its files", work, qp, *no_tests, f"-DCOLUBER_DAQP_DIR={daqp(work / 'half', '0.10.3', 9)}")
    says_no("DAQP of another version", work, qp, *no_tests, f"-DCOLUBER_DAQP_DIR={daqp(work / 'other', '0.7.2', 10)}")
    whole = configure(work, *no_tests, f"-DCOLUBER_DAQP_DIR={daqp(work / 'whole', '0.10.3', 10)}")
    check("DAQP in a folder of the user's is found", f"--   {qp}: yes" in whole.stdout, whole.stdout[-2000:] + whole.stderr)

    says_no("pkg-config missing", work, "coluber view", *no_tests, "-DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON")
    for sentence, version in (("cpp-httplib without its header", "0.11.4"), ("cpp-httplib too old", "0.5.0")):
        folder = pc_file(work / f"pc-{version}", version)
        wrapper = folder / "pkg-config"
        wrapper.write_text(f'#!/bin/sh\nPKG_CONFIG_LIBDIR="{folder}" exec /usr/bin/pkg-config "$@"\n')
        wrapper.chmod(0o755)
        says_no(sentence, work, "coluber view", *no_tests, f"-DPKG_CONFIG_EXECUTABLE={wrapper}")

    says_no("gnuplot missing", work, "gnuplot for coluber plot", *no_tests, "-DCOLUBER_GNUPLOT=OFF")
    says_no("ccache missing", work, "ccache", *no_tests, "-DCCACHE_PROGRAM=OFF")
    says_no("GoogleTest missing", work, "tests", "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON", "-DCOLUBER_BUILD_BENCHMARKS=OFF")
    half_gtest = gtest_without_gmock(work)
    check("GoogleTest is installed here", half_gtest is not None)
    if half_gtest is not None:
        says_no("GoogleTest without GoogleMock", work, "tests", f"-DGTest_DIR={half_gtest}", "-DCOLUBER_BUILD_BENCHMARKS=OFF")
    says_no("Google Benchmark missing", work, "benchmarks", "-DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON", "-DCOLUBER_BUILD_TESTS=OFF")

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
