// An agent in its own process that performs one call itself. `URL`, `KEY`, `ORACLE_URL`, `CAPABILITY` and `NAME` define
// the call.
import { createClient, governCapability } from "@paraph/sdk";

const readEnv = (name: string): string => process.env[name] ?? "";
const client = createClient({ url: readEnv("URL"), key: readEnv("KEY") });
const governedAct = governCapability<{ name: string }, { done: boolean }>(client, {
  capability: readEnv("CAPABILITY"),
  async execute({ name }, { call, signal }) {
    const body = JSON.stringify({ call, key: call, name });
    await fetch(`${readEnv("ORACLE_URL")}/apply/none`, { method: "POST", body, signal });
    return { done: true };
  },
});
const result = await governedAct.call({ name: readEnv("NAME") }, { key: readEnv("NAME") });
process.stdout.write(`${JSON.stringify(result)}\n`);
