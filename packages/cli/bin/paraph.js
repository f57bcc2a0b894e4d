#!/usr/bin/env node
// Plain JavaScript that any Node can read: an old one is told what to do instead of failing on newer syntax.
var needed = [24, 12];
var found = process.versions.node.split(".").map(Number);
if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  process.stderr.write(
    `paraph: this is Node ${process.versions.node}, and Paraph needs ${needed.join(".")} or newer: install it from https://nodejs.org.\n`,
  );
  process.exit(1);
}
// A hook is waited for at every use of a tool: it has an entry of its own, which loads next to nothing.
import(process.argv[2] === "hook" && process.argv[3] === "run" ? "../dist/hook/main.js" : "../dist/main.js");
