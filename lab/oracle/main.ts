// The oracle as a process of its own, so that nothing that happens to Paraph happens to it.
import { startOracle } from "./oracle.ts";

const oracle = await startOracle(process.env.ORACLE_FILE ?? "");
process.stdout.write(`${JSON.stringify({ url: oracle.url })}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
