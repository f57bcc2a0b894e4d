#!/usr/bin/env node
// Plain JavaScript that any Node can read, so that an old Node prints what to do and does not fail on newer syntax.
var needed = [22, 19];
var found = process.versions.node.split(".").map(Number);
if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  process.stderr.write(
    `paraph: Paraph needs Node ${needed.join(".")} or newer, and this is Node ${process.versions.node}. Install a newer Node from https://nodejs.org.\n`,
  );
  process.exit(1);
}
// Clients wait for the hook at every tool use, so it has its own entry, which loads very little.
import(process.argv[2] === "hook" && process.argv[3] === "run" ? "../dist/hook/main.js" : "../dist/main.js");
