#!/usr/bin/env node
// Runs the program of the platform's package.
"use strict";
const { spawn } = require("node:child_process");
const platforms = require("../platforms.json");

function usesMusl() {
  // Node.js reports its glibc; without one the C library is musl.
  const report = process.report?.getReport();
  const header = (typeof report === "string" ? JSON.parse(report) : report)?.header;
  return !header?.glibcVersionRuntime;
}

function program() {
  const base = `${process.platform}-${process.arch}`;
  const names = process.platform === "linux" && usesMusl() ? [`${base}-musl`] : [base, `${base}-musl`];
  const known = names.filter((name) => platforms[name]);
  for (const name of known) {
    const file = process.platform === "win32" ? "loadline.exe" : "loadline";
    try {
      return require.resolve(`@loadline/${name}/bin/${file}`);
    } catch {
      // Not installed; the next may be.
    }
  }
  const advice = known.length
    ? `npm did not install @loadline/${known[0]}; install again without --no-optional and --omit=optional`
    : "install it with `cargo install loadline-cli`";
  console.error(`loadline: there is no program for ${base}: ${advice}`);
  process.exit(1);
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit", windowsHide: true });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`loadline: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code ?? 1);
  }
});
