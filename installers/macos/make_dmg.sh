#!/bin/bash
# Signs Steward.app where an identity is given, and puts it into a disk image. Needs macOS. Not tried yet.
#
#   make_dmg.sh Steward.app VERSION OUT
#
# STEWARD_CODESIGN_IDENTITY  the name of a Developer ID in the keychain; without it the app gets an ad-hoc signature
# STEWARD_NOTARY_PROFILE     a profile of `xcrun notarytool store-credentials`; without it nothing is notarized
# STEWARD_NOTARY_KEYCHAIN    the keychain with that profile, where it is not the login keychain
set -euo pipefail
app=$1 version=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
identity=${STEWARD_CODESIGN_IDENTITY:--}
# Apple's clock vouches for names only; an ad-hoc signature has none.
stamp=--timestamp
if [[ $identity == - ]]; then
    stamp=--timestamp=none
    echo "Signed ad hoc only: STEWARD_CODESIGN_IDENTITY names no Developer ID. macOS will warn." >&2
fi
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# What is inside first, the program last: a signature covers what is inside. Frameworks hold programs of any name.
find "$app" -type f -print0 | while IFS= read -r -d '' file; do
    [[ $(file -b "$file") != Mach-O* || $file == "$app/Contents/MacOS/steward" ]] ||
        codesign --force "$stamp" --options runtime --sign "$identity" "$file"
done
codesign --force "$stamp" --options runtime --entitlements "$here/entitlements.plist" --sign "$identity" "$app"
codesign --verify --deep --strict "$app"

cp -R "$app" "$stage/"
ln -s /Applications "$stage/Applications"
image=$out/Steward-$version-macos-$(uname -m).dmg
hdiutil create -volname Steward -srcfolder "$stage" -format UDZO -ov "$image"
[[ $identity == - ]] || codesign --force "$stamp" --sign "$identity" "$image"
if [[ -z ${STEWARD_NOTARY_PROFILE:-} ]]; then
    echo "Not notarized: STEWARD_NOTARY_PROFILE names no profile." >&2
else
    # A profile is looked for in the login keychain, unless another is named.
    xcrun notarytool submit "$image" --keychain-profile "$STEWARD_NOTARY_PROFILE" \
        ${STEWARD_NOTARY_KEYCHAIN:+--keychain "$STEWARD_NOTARY_KEYCHAIN"} --wait
    xcrun stapler staple "$image"
fi
