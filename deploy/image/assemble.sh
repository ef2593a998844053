#!/bin/sh
# Assembles the root file system of an image: Node, the shared libraries that it and the native modules load, the app.
#   sh assemble.sh SERVICE APP KEPT IMAGE
# APP contains the service bundle, compiled commands and production dependencies. KEPT lists the additional files
# (kept-files.js); IMAGE is created.
set -eu
service=$1
app=$2
kept=$(realpath "$3")
image=$4
user=10001

# Removes compiled files and packages that the bundle already contains.
(
  cd "$app"
  {
    find shared/dist/src services/*/dist -name '*.js' ! -path '*/dist/bundle/*' ! -path '*/dist/browser/*'
    find node_modules -mindepth 1 -maxdepth 1 ! -name '.*' ! -name '@*'
    find node_modules/@* -mindepth 1 -maxdepth 1 ! -path 'node_modules/@tollgate/*'
  } | LC_ALL=C sort | LC_ALL=C comm -23 - "$kept" | xargs rm -rf
  find shared/dist services/*/dist node_modules -type d -empty -delete
)
# Not needed at run time.
find "$app" -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' \
  -o -name '*.tsbuildinfo' -o -name 'tsconfig.json' -o -name '*.musl.node' \) -delete
rm -rf "$app"/shared/dist/sbom.cdx.json "$app"/shared/dist/test "$app"/shared/dist/src/test "$app"/services/*/dist/test "$app"/services/*/dist/extensions/*/test
rm -rf "$app"/shared/src "$app"/services/*/src "$app"/services/*/extensions "$app"/package-lock.json "$app"/node_modules/.package-lock.json
# Only top-level folders of a package: it may load files from a deeper folder named "test".
find "$app" -path '*/node_modules/*' -type d \( -name 'test*' -o -name __tests__ -o -name 'benchmark*' -o -name 'example*' \
  -o -name docs -o -name .github \) -prune |
  while read -r folder; do
    if [ -f "$folder/../package.json" ]; then rm -rf "$folder"; fi
  done
# Native builds for other Node versions; the Node-API build works with all.
find "$app" -name 'node.abi*.node' -delete
# Builds for other systems. From Node 24 on, SQLite is part of Node.
find "$app" -path '*/prebuilds/*' -name '*.node' ! -path "*/linux-$(node -p process.arch)/*" -delete
if node -e 'process.exit(parseInt(process.versions.node) >= 24 ? 0 : 1)'; then
  rm -rf "$app/node_modules/@photostructure" "$app/node_modules/node-gyp-build"
fi
# Only the library of the compiled canvas is loaded.
if [ -d "$app/node_modules/canvas" ]; then
  mv "$app/node_modules/canvas/build/Release/canvas.node" "$app/canvas.node"
  rm -rf "$app/node_modules/canvas/build" "$app/node_modules/canvas/src"
  mkdir -p "$app/node_modules/canvas/build/Release"
  strip "$app/canvas.node"
  mv "$app/canvas.node" "$app/node_modules/canvas/build/Release/canvas.node"
fi
# Workspaces missing in this image: only their manifests were needed, for the installation.
for folder in "$app"/*/ "$app"/packages/*/ "$app"/services/*/; do
  if [ "$(ls "$folder")" = package.json ]; then rm -r "$folder"; fi
done
rm -rf "$app/packages" "$app/tests" "$app/shared/build.js"
find "$app" -xtype l -delete

mkdir -p "$image/app" "$image/etc/fonts" "$image/usr/local/bin" "$image/var/lib/dpkg/status.d"
install -d -m 1777 "$image/tmp"
install -d -m 0700 -o "$user" -g "$user" "$image/data"
cp -a "$app/." "$image/app"
cp /usr/local/bin/node "$image/usr/local/bin/node"

# In a merged /usr the loader and the libraries are found by these names.
for folder in bin lib lib64 sbin; do
  if [ -L "/$folder" ]; then
    mkdir -p "$image/usr/$folder"
    ln -s "usr/$folder" "$image/$folder"
  fi
done
# Copies a Debian package's licence, and the common licences that it refers to.
copy_licence() {
  copyright="$image/usr/share/doc/$1/copyright"
  if [ -f "$copyright" ]; then return; fi
  mkdir -p "$(dirname "$copyright")" "$image/usr/share/common-licenses"
  cp "/usr/share/doc/$1/copyright" "$copyright"
  grep -o '/usr/share/common-licenses/[A-Z][A-Za-z0-9.-]*[A-Za-z0-9]' "$copyright" | sort -u |
    while read -r licence; do if [ -f "$licence" ]; then cp "$licence" "$image$licence"; fi; done
}
# Each library under its load name; its package is listed for image scanners.
{
  echo /usr/local/bin/node
  find "$app" -name '*.node'
} | while read -r binary; do ldd "$binary"; done > /libraries
if grep 'not found' /libraries; then exit 1; fi
sed -n 's/^[^/]*\(\/[^ ]*\) (0x[0-9a-f]*)$/\1/p' /libraries | sort -u |
  while read -r library; do
    folder=$(realpath "$(dirname "$library")")
    mkdir -p "$image$folder"
    cp "$library" "$image$folder/$(basename "$library")"
    package=$(dpkg -S "$(realpath "$library")" | cut -d: -f1)
    dpkg-query --status "$package" > "$image/var/lib/dpkg/status.d/$package"
    copy_licence "$package"
  done
# canvas converts font names with a C library module (gconv), which ldd does not list.
if [ -d "$app/node_modules/canvas" ]; then
  for modules in /usr/lib/*/gconv; do
    mkdir -p "$image$modules"
    cp -r "$modules"/UTF-16.so "$modules"/gconv-modules* "$image$modules"
  done
fi
cp /etc/os-release "$image/etc/os-release"

echo "tollgate:x:$user:$user::/nonexistent:/usr/sbin/nologin" > "$image/etc/passwd"
echo "tollgate:x:$user:" > "$image/etc/group"
echo 'hosts: files dns' > "$image/etc/nsswitch.conf"
# The service has its own fonts: no system fonts, no font cache.
echo '<fontconfig><cachedir>/tmp</cachedir></fontconfig>' > "$image/etc/fonts/fonts.conf"

# Licences and bill of materials of everything in the image. The READMEs, which have some licences, are not needed further.
mkdir -p "$image/usr/share/doc/node"
cp /usr/local/LICENSE "$image/usr/share/doc/node/LICENSE"
node "$(dirname "$0")/tools/provenance/image.js" "$service" "$image"
find "$image/app" -type f -name '*.md' ! -path '*/fonts/*' -delete
