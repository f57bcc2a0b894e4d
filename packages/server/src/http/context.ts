import { OpenAPIHono } from "@hono/zod-openapi";
import type { Caller, Principal } from "@paraph/core";
import type { BudgetKeeper } from "../services/budgets.ts";
import type { ParaphService } from "../services/paraph-service.ts";
import type { Pages } from "../web/pages/pages-interface.ts";
import type { ConsoleFiles } from "../web/routes/console.ts";
import type { McpHandler, TokenSource } from "./mcp-handler.ts";
import { rejectInvalidRequest } from "./middleware/invalid-request.ts";

/** The variables that every handler finds in its context. */
export interface Env {
  Variables: {
    /** The id of this request, which appears in its response and its log line. */
    request: string;
    caller: Caller;
    principal: Principal;
    allowsPlainLogin: boolean;
  };
}

/** The dependencies of the routes. */
export interface RouteDeps {
  readonly service: ParaphService;
  readonly pages: Pages;
  /** The files of the console. Without them, the server has only the pages without scripts. */
  readonly consoleFiles?: ConsoleFiles | undefined;
  readonly mcp?: McpHandler;
  readonly tokens?: TokenSource;
  /** The paths at which other services send requests that they sign. */
  readonly inbound?: readonly InboundRoute[];
  /** The address that the server listens on. */
  readonly host: string;
  /** The address at which people and agents reach the server, if it differs from the one that it listens on. */
  readonly publicUrl?: string | undefined;
  /** Whether browsers may log in over plain HTTP, although not only this computer can reach the server. */
  readonly allowsPlainLogin?: boolean;
  /** A signal that aborts when the server stops. Waiting requests then respond with the current state. */
  readonly stopping: AbortSignal;
  readonly log: (line: LogLine) => void;
  /** Counts a request, other than a health probe, by the status of its response. */
  readonly countRequest?: (status: number) => void;
  /** The limits on one principal's use of this process. */
  readonly budgets?: BudgetKeeper;
  readonly runInSpan?: RunInSpan;
  /** Returns a short code for an error, never its message. */
  readonly toErrorCode?: (error: unknown) => string;
}

/** A path at which the service of a channel sends requests. The handler verifies them. */
export interface InboundRoute {
  readonly path: string;
  handle(request: {
    header(name: string): string | undefined;
    readonly body: string;
  }): Promise<{ readonly status: 200 | 400 | 401 | 503; readonly json?: object }>;
}

/** [P10] A log line of codes, names and numbers, without anything that a caller sent. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly code: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly ms?: number;
  readonly request?: string;
  /** The code of an unexpected error. */
  readonly cause?: string;
}

/** A function that runs `body` within a trace span. */
export type RunInSpan = <T>(
  name: string,
  traceparent: string | undefined,
  attributes: Readonly<Record<string, string>>,
  body: () => Promise<T>,
) => Promise<T>;

/** Creates a router that rejects requests which do not match their schema. */
export function createRouter(): OpenAPIHono<Env> {
  return new OpenAPIHono<Env>({ defaultHook: rejectInvalidRequest });
}
