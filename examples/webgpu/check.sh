#!/bin/sh
# Builds the shaders, opens the page in Chromium without a window, and waits until the page says how it went.
# ARR is the compiler, CHROMIUM the browser. Status 77: there is no browser.
set -eu
cd "$(dirname "$0")"
arr=${ARR:-arr}
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$browser" ] || { echo "SKIPPED: there is no Chromium here"; exit 77; }
work=$(mktemp -d)
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
cp index.html arr.js fit.arr "$work"
"$arr" build "$work/fit.arr" --grad loss --wrt net --float f32 --emit wgsl -o "$work/fit.wgsl"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
python3 -m http.server "$port" --bind 127.0.0.1 --directory "$work" >/dev/null 2>&1 &
server=$!
sleep 1
timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu-sandbox --enable-unsafe-webgpu --use-webgpu-adapter=swiftshader \
  --user-data-dir="$work/profile" --timeout=60000 --dump-dom "http://127.0.0.1:$port/" >"$work/page" 2>"$work/errors" || true
sed -n '/<pre/,/<\/pre>/p' "$work/page"
grep -q PASSED "$work/page" || { tail -5 "$work/errors"; exit 1; }
