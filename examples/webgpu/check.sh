#!/bin/sh
# Builds the shaders, opens the page in Chromium without a window, and waits until the page says how it went.
# ARR is the compiler, CHROMIUM the browser. Status 77: there is no browser.
set -eu
cd "$(dirname "$0")"
arr=${ARR:-arr}
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$browser" ] || { echo "SKIPPED: there is no Chromium here"; exit 77; }
work=$(mktemp -d)
trap 'kill $server $page 2>/dev/null || true; sleep 1; rm -rf "$work"' EXIT
server= page=
cp index.html arr.js fit.arr "$work"
"$arr" build "$work/fit.arr" --grad loss --wrt net --float f32 --emit wgsl -o "$work/fit.wgsl"
python3 - "$work" <<'SERVER' &
import functools, http.server, os, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    def do_POST(self):
        text = self.rfile.read(int(self.headers['Content-Length']))
        with open(os.path.join(sys.argv[1], 'result.part'), 'wb') as file:
            file.write(text + b'\n')
        os.rename(os.path.join(sys.argv[1], 'result.part'), os.path.join(sys.argv[1], 'result'))
        self.send_response(204)
        self.end_headers()
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Handler, directory=sys.argv[1]))
with open(os.path.join(sys.argv[1], 'port'), 'w') as file:
    file.write(str(server.server_port) + '\n')
server.serve_forever()
SERVER
server=$!
until [ -s "$work/port" ]; do sleep 0.1; done
"$browser" --headless=new --no-sandbox --enable-unsafe-webgpu --use-webgpu-adapter=swiftshader \
  --user-data-dir="$work/profile" "http://127.0.0.1:$(cat "$work/port")/#check" >"$work/errors" 2>&1 &
page=$!
for _ in $(seq 60); do [ -s "$work/result" ] && break; sleep 1; done
[ -s "$work/result" ] || { echo "the page does not answer"; tail -5 "$work/errors"; exit 1; }
cat "$work/result"
grep -q '^PASSED$' "$work/result"
