import { afterAll } from "vitest";

// Test files share a process, so a variable that one file sets would otherwise change what a later file reads.
const before = { ...process.env };

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
