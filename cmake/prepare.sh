# Sourced by ./run and ./test: brings a machine to where it can build, and builds. Whatever is
# there already is left alone; progress goes to stderr, so stdout stays the program's.

BUILD_PACKAGES="gcc libc6-dev cmake ninja-build pkg-config libmicrohttpd-dev nettle-dev
    libdnnl-dev libjansson-dev libsqlite3-dev libcurl4-openssl-dev libexpat1-dev zlib1g-dev node-d3"
# What a run may load before its engine: each package with the library that it brings. The preset
# ladder has rungs for these; without them the server skips those rungs, and names the packages.
PRELOAD_PACKAGES="libomp5:libomp.so.5 libtcmalloc-minimal4:libtcmalloc_minimal.so.4"
INSTALLED=no # becomes yes when packages were installed: what CMake knows of the machine is old
built=       # the presets that were built, or could not be, since

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

give_up() {
    say "$@"
    exit 1
}

# free_mib PATH: what is left on its file system.
free_mib() { df -Pk "$1" | awk 'NR == 2 { print int($4 / 1024) }'; }

# need_space PATH MIB: gives up where there is less, before half of something is written.
need_space() {
    [ "$(free_mib "$1")" -ge "$2" ] || give_up "the disk is nearly full:" \
        "$(free_mib "$1") MiB are free in $(cd "$1" && pwd), $2 MiB are wanted"
}

# missing_packages PACKAGE...: prints the packages that are not installed, each once.
missing_packages() {
    known=" $(dpkg-query -W -f='${Package}=${db:Status-Status} ' "$@" 2>/dev/null || true)"
    for package in $(printf '%s\n' "$@" | sort -u); do
        case $known in
        *" $package=installed "*) ;;
        *) printf ' %s' "$package" ;;
        esac
    done
}

apt() {
    DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=1 -o Acquire::http::Timeout=20 \
        -o DPkg::Lock::Timeout=120 "$@" >>"$apt_log" 2>&1 </dev/null
}

# install_packages PACKAGE...: installs what is missing, or says why it cannot and gives up.
install_packages() {
    if ! command -v dpkg-query >/dev/null 2>&1; then
        say "this is no Debian: taking for granted what Debian calls" $*
        return 0
    fi
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        say "packages are missing, and only root can install them. As root:"
        printf '    apt-get update && apt-get install --no-install-recommends%s\n' "$missing" >&2
        exit 1
    fi
    need_space /usr 1536
    say "installing$missing"
    apt_log=$(mktemp)
    # The lists may be young enough; where they are old or missing, a second try has new ones.
    if ! apt install -y --no-install-recommends $missing; then
        if ! apt update || ! apt install -y --no-install-recommends $missing; then
            say "apt-get could not install them; is there a network, and room? Its last words:"
            tail -n 8 "$apt_log" >&2
            rm -f "$apt_log"
            exit 1
        fi
    fi
    rm -f "$apt_log"
    INSTALLED=yes
}

# try_packages PACKAGE:LIBRARY...: installs the packages whose library is not there, if it can. It never
# gives up: nothing that must work needs them.
try_packages() {
    wanted=
    for pair; do
        for folder in /usr/local/lib /usr/lib /usr/lib64 /usr/lib/*-linux-gnu /usr/lib/llvm-*/lib; do
            [ ! -e "$folder/${pair#*:}" ] || continue 2
        done
        wanted="$wanted ${pair%%:*}"
    done
    [ -n "$wanted" ] || return 0
    if ! command -v dpkg-query >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ] ||
        ! (install_packages $wanted); then
        say "going on without$wanted, which the last rungs of the preset ladder load"
    fi
}

# Presets as ours are read since CMake 3.25.
need_cmake() {
    command -v cmake >/dev/null 2>&1 || give_up "there is no cmake"
    version=$(cmake --version | sed -n 's/^cmake version //p')
    minor=${version#*.}
    [ "${version%%.*}" -gt 3 ] || [ "${minor%%.*}" -ge 25 ] ||
        give_up "cmake 3.25 or newer is needed for CMakePresets.json;" \
            "$(command -v cmake) is $version"
}

# True when build/PRESET was configured from this folder, on this machine, as the presets are now.
is_configured() {
    [ "$INSTALLED" = no ] && [ -f "build/$1/build.ninja" ] &&
        grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "build/$1/CMakeCache.txt" &&
        [ -z "$(find CMakePresets.json -newer "build/$1/build.ninja")" ]
}

# build PRESET [TARGET...]: in the root of the project. False, after printing the reason, if it fails;
# asked again it gives the same answer.
build() {
    case $built in
    *" $1=yes "*) return 0 ;;
    *" $1=no "*) say "build/$1 could not be built, see above" && return 1 ;;
    esac
    if build_preset "$@"; then
        built="$built $1=yes "
    else
        built="$built $1=no "
        tail -n 60 "build/$1.log" >&2
        say "build/$1 could not be built; all that was said is in build/$1.log"
        [ "$(free_mib .)" -ge 64 ] || say "the disk is full: $(free_mib .) MiB are left"
        return 1
    fi
}

build_preset() {
    preset=$1 log=build/$1.log
    shift
    if ! is_configured "$preset"; then
        [ -d "build/$preset" ] || need_space . 1024
        mkdir -p build
        say "configuring build/$preset"
        cmake --fresh --preset "$preset" >"$log" 2>&1 || return 1
        say "building build/$preset"
    fi
    cmake --build --preset "$preset" ${1:+--target} "$@" >"$log" 2>&1
}
