// Entry point for programs that need the whole HTTP API rather than an agent's part of it, such as the command line.
export { type ApiConnection, type ConnectionRequest, createConnection } from "./connection.ts";
export { ParaphProblem, type ProblemFault } from "./paraph-problem.ts";
export { parseServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";
