#!/bin/sh
# What is in our programs and what they are linked with, according to the machine that built them.
#
#   cmake/sbom.sh --name NAME --version V [--commit C] [--d3 FILE] BINARY...   SPDX 2.3 as JSON
#   cmake/sbom.sh --packages BINARY...          Debian's packages that they link, as NAME=VERSION
#
# The same programs on the same machine give the same bytes: the date is $SOURCE_DATE_EPOCH, or the
# date of the commit this script lies in, or 1970 where neither is known. Binaries are called usr/bin/NAME.
set -eu
LC_ALL=C
export LC_ALL

# ldd does not list it: libcurl reads its certificates.
LOADED="ca-certificates"
# Engines of others that a person may add (see engine/peers), and what a run may load before its
# engine.
OPTIONAL="python3 python3-torch libomp5 libtcmalloc-minimal4"

give_up() {
    printf 'sbom.sh: %s\n' "$*" >&2
    exit 1
}

# libraries_of BINARY: the file of each library that is loaded with it.
libraries_of() {
    loaded=$(ldd "$1") || give_up "ldd cannot read $1"
    case $loaded in *"not found"*) give_up "$1: a library is not found" ;; esac
    printf '%s\n' "$loaded" |
        awk '{ for (i = 1; i <= NF; i++) if (substr($i, 1, 1) == "/") print $i }' | sort -u
}

# Reads files, and prints "FILE PACKAGE" of each that came with a package of Debian. The loader may
# go through links that packages do not know of, so each is looked for by all its names.
owners_of() {
    while read -r file; do
        real=$(readlink -f "$file")
        printf '%s %s\n' "$file" "$file" "$file" "/usr$file" "$file" "$real" "$file" "${real#/usr}"
    done | sort -u >"$scratch/names"
    cut -d ' ' -f 2 "$scratch/names" | sort -u |
        xargs dpkg-query -S 2>/dev/null >"$scratch/found" || true
    awk 'FILENAME ~ /found$/ && !/^diversion/ { sub(/[:,].*/, "", $1); owner[$NF] = $1 }
        FILENAME ~ /names$/ && $2 in owner && !seen[$1]++ { print $1, owner[$2] }' \
        "$scratch/found" "$scratch/names"
}

# take_stock BINARY...: what is linked, as lines "BINARY LIBRARY PACKAGE" in linked; "-" is none.
take_stock() {
    for binary; do
        libraries_of "$binary" >"$scratch/libraries" # no pipe: who gives up ends all of us
        sed "s|^|$(basename "$binary") |" "$scratch/libraries"
    done >"$scratch/loaded"
    {
        cut -d ' ' -f 2 "$scratch/loaded"
        [ -z "$d3" ] || printf '%s\n' "$d3"
    } | sort -u | owners_of >"$scratch/owners"
    awk 'FILENAME ~ /owners$/ { owner[$1] = $2 }
        FILENAME ~ /loaded$/ { print $1, $2, $2 in owner ? owner[$2] : "-" }' \
        "$scratch/owners" "$scratch/loaded" >"$scratch/linked"
}

# version_of PACKAGE: as it is installed; nothing where it is not.
version_of() {
    dpkg-query -W -f='${db:Status-Status} ${Version}\n' "$1" 2>/dev/null |
        sed -n '1s/^installed //p' || true
}

architecture() { dpkg --print-architecture 2>/dev/null || uname -m; }

# licence_of PACKAGE: what its copyright file says of "Files: *", where SPDX has the same under a
# name that means the same; else NOASSERTION.
licence_of() {
    awk '
        /^Files:/ { all = $2 == "*" }
        /^$/ { all = 0 }
        all && /^License:/ && NF == 2 { print $2; exit }
    ' "/usr/share/doc/$1/copyright" 2>/dev/null | sed -n '
        s/^\(Expat\|MIT\)$/MIT/p; t
        s/^\(Apache-2\.0\|ISC\|Zlib\|curl\)$/\1/p; t
        s/^BSD-\([23]\)-[Cc]lause$/BSD-\1-Clause/p
    ' | grep . || echo NOASSERTION
}

# percent TEXT: as it stands in a package URL.
percent() { printf '%s' "$1" | sed 's/%/%25/g; s/:/%3A/g; s/+/%2B/g'; }

hash_of() { "$1" "$2" | cut -d ' ' -f 1; }

# id_of KIND NAME: an identifier of SPDX.
id_of() { printf 'SPDXRef-%s-%s' "$1" "$(printf '%s' "$2" | tr -c 'A-Za-z0-9.\n-' -)"; }

# NAME=VERSION of what the programs link here.
list_packages() {
    stray=$(awk '$3 == "-" { print $2; exit }' "$scratch/linked")
    [ -z "$stray" ] || give_up "no package has $stray"
    cut -d ' ' -f 3 "$scratch/linked" | sort -u | while read -r package; do
        version=$(version_of "$package")
        [ -n "$version" ] || give_up "$package is not installed"
        printf '%s=%s\n' "$package" "$version"
    done
}

# package ID NAME VERSION LICENCE URL PURPOSE: one entry of "packages", but for its braces' ends.
package() {
    printf '    {\n      "SPDXID": "%s",\n      "name": "%s",\n' "$1" "$2"
    [ -z "$3" ] || printf '      "versionInfo": "%s",\n' "$3"
    printf '      "primaryPackagePurpose": "%s",\n' "$6"
    printf '      "downloadLocation": "NOASSERTION",\n'
    printf '      "licenseConcluded": "%s",\n      "licenseDeclared": "%s",\n' "$4" "$4"
    printf '      "copyrightText": "NOASSERTION"'
    [ -z "$5" ] || printf ',\n      "externalRefs": [\n        {\n%s%s%s        }\n      ]' \
        '          "referenceCategory": "PACKAGE-MANAGER",
          "referenceType": "purl",
          "referenceLocator": "' "$5" '"
'
}

# A package of Debian, installed or not.
debian_package() {
    version=$(version_of "$1")
    url=pkg:deb/debian/$(percent "$1")
    [ -z "$version" ] || url="$url@$(percent "$version")?arch=$(architecture)"
    package "$(id_of Package "$1")" "$1" "$version" "$(licence_of "$1")" "$url" LIBRARY
    printf ',\n      "filesAnalyzed": false\n    }'
}

# A library that somebody put there by hand: all that is known of it is what it holds.
stray_library() {
    package "$(id_of Library "$1")" "$(basename "$1")" "" NOASSERTION "" LIBRARY
    printf ',\n      "filesAnalyzed": false,\n      "checksums": [\n'
    printf '        { "algorithm": "SHA256", "checksumValue": "%s" }\n      ]\n    }' \
        "$(hash_of sha256sum "$1")"
}

relationship() {
    printf '%s    {\n      "spdxElementId": "%s",\n' "$comma" "$1"
    printf '      "relationshipType": "%s",\n      "relatedSpdxElement": "%s"\n    }' "$2" "$3"
    comma=",
"
}

our_package() {
    package SPDXRef-Package-"$name" "$name" "$version_of_ours" Apache-2.0 "" APPLICATION
    printf ',\n      "sourceInfo": "built from commit %s",\n' "$commit"
    printf '      "filesAnalyzed": true,\n      "packageVerificationCode": {\n'
    printf '        "packageVerificationCodeValue": "%s"\n      },\n' "$(
        for binary; do hash_of sha1sum "$binary"; done | sort | tr -d '\n' | sha1sum | cut -d ' ' -f 1
    )"
    printf '      "licenseInfoFromFiles": ["Apache-2.0"],\n      "hasFiles": ['
    comma=
    for binary; do
        printf '%s"%s"' "$comma" "$(id_of File "$(basename "$binary")")"
        comma=', '
    done
    printf ']\n    }'
}

# D3 is compiled into the server; its version is in its first line.
d3_package() {
    d3_version=$(sed -n '1s/.*[^A-Za-z0-9]v\([0-9][0-9.]*[0-9]\).*/\1/p' "$d3" | head -n 1)
    owner=$(awk -v file="$d3" '$1 == file { print $2 }' "$scratch/owners")
    package SPDXRef-Package-d3 d3 "$d3_version" "$(licence_of "${owner:-node-d3}")" \
        "${d3_version:+pkg:npm/d3@$d3_version}" LIBRARY
    [ -z "$owner" ] || printf ',\n      "sourceInfo": "of the Debian package %s %s"' "$owner" \
        "$(version_of "$owner")"
    printf ',\n      "filesAnalyzed": false,\n      "checksums": [\n'
    printf '        { "algorithm": "SHA256", "checksumValue": "%s" }\n      ]\n    }' \
        "$(hash_of sha256sum "$d3")"
}

packages() {
    printf '  "packages": [\n'
    our_package "$@"
    if [ -n "$d3" ]; then
        printf ',\n'
        d3_package
    fi
    awk '{ print $3 == "-" ? $2 : $3 }' "$scratch/linked" | sort -u | while read -r each; do
        printf ',\n'
        case $each in
        /*) stray_library "$each" ;;
        *) debian_package "$each" ;;
        esac
    done
    for each in $LOADED $OPTIONAL; do
        printf ',\n'
        debian_package "$each"
    done
    printf '\n  ],\n'
}

files() {
    printf '  "files": [\n'
    comma=
    for binary; do
        printf '%s    {\n      "SPDXID": "%s",\n      "fileName": "./usr/bin/%s",\n' "$comma" \
            "$(id_of File "$(basename "$binary")")" "$(basename "$binary")"
        printf '      "fileTypes": ["BINARY"],\n      "checksums": [\n'
        printf '        { "algorithm": "SHA1", "checksumValue": "%s" },\n' "$(hash_of sha1sum "$binary")"
        printf '        { "algorithm": "SHA256", "checksumValue": "%s" }\n      ],\n' \
            "$(hash_of sha256sum "$binary")"
        printf '      "licenseConcluded": "Apache-2.0",\n      "licenseInfoInFiles": ["NOASSERTION"],\n'
        printf '      "copyrightText": "NOASSERTION"\n    }'
        comma=",
"
    done
    printf '\n  ],\n'
}

relationships() {
    printf '  "relationships": [\n'
    comma=
    ours=SPDXRef-Package-$name
    relationship SPDXRef-DOCUMENT DESCRIBES "$ours"
    for binary; do
        file=$(id_of File "$(basename "$binary")")
        relationship "$ours" CONTAINS "$file"
        for linked in $(awk -v binary="$(basename "$binary")" \
            '$1 == binary { print $3 == "-" ? $2 : $3 }' "$scratch/linked" | sort -u); do
            case $linked in
            /*) linked=$(id_of Library "$linked") ;;
            *) linked=$(id_of Package "$linked") ;;
            esac
            relationship "$file" DYNAMIC_LINK "$linked"
        done
    done
    [ -z "$d3" ] || relationship "$ours" CONTAINS SPDXRef-Package-d3
    for each in $LOADED; do
        relationship "$(id_of Package "$each")" RUNTIME_DEPENDENCY_OF "$ours"
    done
    for each in $OPTIONAL; do
        relationship "$(id_of Package "$each")" OPTIONAL_DEPENDENCY_OF "$ours"
    done
    printf '\n  ]\n}\n'
}

# What the namespace is hashed from: all that says what this is a list of.
content() {
    packages "$@"
    files "$@"
    relationships "$@"
}

document() {
    here=$(dirname "$0")
    seconds=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct 2>/dev/null || echo 0)}
    created=$(date -u -d "@$seconds" +%Y-%m-%dT%H:%M:%SZ) || give_up "SOURCE_DATE_EPOCH is no time"
    content "$@" >"$scratch/content"
    hash=$({ echo "$created" && cat "$scratch/content"; } | sha256sum | cut -d ' ' -f 1)
    cat <<END
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "$name-$version_of_ours",
  "documentNamespace": "https://spdx.org/spdxdocs/$name-$version_of_ours-$hash",
  "creationInfo": {
    "created": "$created",
    "creators": ["Tool: pennyworth-sbom.sh-$version_of_ours"]
  },
END
    cat "$scratch/content"
}

name=pennyworth version_of_ours='' commit=unknown d3='' what=document
while [ $# -gt 0 ]; do
    case $1 in
    --packages) what=list_packages && shift && continue ;;
    --name) name=${2-} ;;
    --version) version_of_ours=${2-} ;;
    --commit) commit=${2-} ;;
    --d3) d3=${2-} ;;
    -*) give_up "$1 is not an option" ;;
    *) break ;;
    esac
    [ $# -ge 2 ] || give_up "$1 requires a value"
    shift 2
done
[ $# -gt 0 ] || give_up "which binaries?"
[ "$what" = list_packages ] || [ -n "$version_of_ours" ] || give_up "--version is needed"
case $name$version_of_ours$commit in
*[!A-Za-z0-9._+-]*) give_up "names, versions and commits have letters, digits and ._+-" ;;
esac
for binary; do
    [ -f "$binary" ] || give_up "$binary is not there"
done
[ -z "$d3" ] || [ -f "$d3" ] || give_up "$d3 is not there"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
take_stock "$@"
"$what" "$@"
