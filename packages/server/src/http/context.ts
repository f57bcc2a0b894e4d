import { OpenAPIHono } from "@hono/zod-openapi";
import type { Caller, Principal } from "@paraph/core";
import type { BudgetKeeper } from "../services/budgets.ts";
import type { ParaphService } from "../services/types/service-types.ts";
import type { Pages } from "../web/pages/pages-interface.ts";
import type { McpHandler, TokenSource } from "./mcp-handler.ts";
import { rejectInvalidRequest } from "./middleware/invalid-request.ts";

/** What every handler finds in its context. */
export interface Env {
  Variables: {
    /** The id of this request, as in its answer and its log line. */
    request: string;
    caller: Caller;
    /** The caller's own. */
    principal: Principal;
  };
}

/** What the routes are handed. */
export interface RouteDeps {
  readonly service: ParaphService;
  readonly pages: Pages;
  readonly mcp?: McpHandler;
  readonly tokens?: TokenSource;
  /** Aborts when the server stops: whoever waits is answered with what stands. */
  readonly stopping: AbortSignal;
  readonly log: (line: LogLine) => void;
  /** What one principal may take up of this process. */
  readonly budgets?: BudgetKeeper;
  readonly runInSpan?: RunInSpan;
  /** What may be said of an error: a short name, never its message. */
  readonly toErrorCode?: (error: unknown) => string;
}

/** [P10] Codes, names and numbers: nothing a caller sent. */
export interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly code: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly ms?: number;
  readonly request?: string;
  /** What an unexpected error is called. */
  readonly cause?: string;
}

export type RunInSpan = <T>(
  name: string,
  traceparent: string | undefined,
  attributes: Readonly<Record<string, string>>,
  body: () => Promise<T>,
) => Promise<T>;

export function createRouter(): OpenAPIHono<Env> {
  return new OpenAPIHono<Env>({ defaultHook: rejectInvalidRequest });
}
