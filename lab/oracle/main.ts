// The oracle runs in its own process, so that no fault of Paraph affects it.
import { startOracle } from "./oracle.ts";

const oracle = await startOracle(process.env.ORACLE_FILE ?? "", 0, process.env.ORACLE_HOST);
process.stdout.write(`${JSON.stringify({ url: oracle.url })}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
