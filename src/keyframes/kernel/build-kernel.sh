#!/bin/sh
# Compiles assembly/index.ts to kernel-code.ts: WebAssembly as base64, with the checksum of the source it came from.
# Needs AssemblyScript, which only this script uses: npm install --prefix /tmp/asc assemblyscript@0.28.20, then
# ASC=/tmp/asc/node_modules/.bin/asc sh src/keyframes/kernel/build-kernel.sh
set -e
cd "$(dirname "$0")"
out=$(mktemp)
"${ASC:-asc}" assembly/index.ts --outFile "$out" -O3 --converge --noAssert --runtime stub \
  --enable simd --enable bulk-memory --importMemory --disable mutable-globals
{
  echo '// Made by build-kernel.sh from assembly/index.ts; do not edit.'
  echo "export const SOURCE_SHA256 = '$(sha256sum assembly/index.ts | cut -d' ' -f1)';"
  echo "export const KERNEL_BASE64 ="
  echo "  '$(base64 -w0 "$out")';"
} > kernel-code.ts
rm "$out"
