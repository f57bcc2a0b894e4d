import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { z } from "zod";
import type { Env, RouteDeps } from "../../http/context.ts";
import { findCaller, rejectBarred } from "../../http/middleware/authenticate.ts";
import { limitBody } from "../../http/middleware/limit-body.ts";
import { readSessionCookie } from "../../http/middleware/session-cookie.ts";
import { HttpProblem, toProblem } from "../../http/problem.ts";
import { problemTypes } from "../../http/problem-types.ts";

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // Makes browsers send an origin with a form that posts to this server. With `no-referrer`, a browser would not send
  // an origin.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

/**
 * [TRUST 22] Responds with a page and its security headers. A page with a script may load it, a service worker and data
 * from this server only.
 */
export interface PageOptions {
  /** Whether the page runs a script of Paraph. */
  readonly script?: boolean;
  /** After how many seconds the browser loads the page again (default: never). */
  readonly refreshSeconds?: number;
}

export function sendPage(
  c: Context,
  page: string,
  status: ContentfulStatusCode = 200,
  { script = false, refreshSeconds }: PageOptions = {},
): Response {
  if (refreshSeconds !== undefined) c.header("refresh", String(refreshSeconds));
  if (!script) return c.body(page, status, headers);
  const sources = "script-src 'self'; connect-src 'self'; worker-src 'self'";
  const policy = `${headers["content-security-policy"]}; ${sources}`;
  return c.body(page, status, { ...headers, "content-security-policy": policy });
}

/** [TRUST 2] Creates a router that renders problems as pages and admits only people who are logged in. */
export function createPageRouter({ service, pages }: Pick<RouteDeps, "service" | "pages">): Hono<Env> {
  const app = new Hono<Env>();
  app.onError((error, c) => {
    const problem = toProblem(error);
    const link = findNextLink(problem, c.req.param("approval"));
    return sendPage(
      c,
      pages.notice({ title: problemTypes[problem.code].title, text: toPageText(problem), link }),
      problem.status,
    );
  });

  const people: MiddlewareHandler<Env> = async (c, next) => {
    const caller = await findCaller(c, service);
    // Pages accept only sessions, which belong to a person. A key is for programs, and may have fewer rights than its
    // principal.
    if (caller?.how !== "session") return c.redirect(toLoginUrl(c), 303);
    rejectBarred(caller);
    c.set("caller", caller);
    c.set("principal", caller.principal);
    return next();
  };
  app.use("/approvals/*", people);
  app.use("/calls/*", people);
  app.use("/notifications/*", people);
  app.use("/passkeys/*", people);
  app.use("/slack/link/*", people);
  app.use("/slack/unlink", people);
  return app;
}

/** The body limit of a small form, which has a short text and a tick for each of at most a thousand steps. */
export const smallBodyLimit = limitBody(
  131_072,
  "The form is too large. A reason can have at most 2,000 characters.",
);

/** The body limit of a form with an input. The input may be as large as in the API. */
export const largeBodyLimit = limitBody(
  4 * 1024 * 1024,
  "The edited input is too large. Shorten it and try again.",
);

/** Returns the session cookie, which every request to a page has. */
export function readPageSession(c: Context<Env>): string {
  return readSessionCookie(c) ?? "";
}

/** The posted values of a form. */
export type PageForm = Readonly<Record<string, string | undefined>>;

/** Reads a posted form, and rejects any other content type. */
export async function readForm(c: Context): Promise<PageForm> {
  if (!/^application\/x-www-form-urlencoded(;|$)/i.test(c.req.header("content-type") ?? "")) {
    throw new HttpProblem(
      "content-type-unsupported",
      "The content type is not supported. Use the form on the approval's page.",
    );
  }
  const form = new URLSearchParams(await c.req.text());
  for (const value of form.values())
    if (value.includes("\0"))
      throw new HttpProblem(
        "body-invalid",
        "The form contains a zero byte. Remove it and send the form again.",
      );
  return Object.fromEntries(form);
}

/** Parses a form field as JSON of this schema. Returns undefined if it is missing or does not match. */
export function parseFormJson<T>(text: string | undefined, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(text ?? "")).data;
  } catch {
    return undefined;
  }
}

/** Returns the text of a form field. Throws if the text is longer than 2,000 characters. */
export function readFormText(text = ""): string {
  // Converts each line break to one character before the length is checked. A browser sends a line break as two
  // characters, but counts it as one for `maxlength`.
  const words = text.replaceAll("\r\n", "\n").trim();
  if (words.length > 2_000)
    throw new HttpProblem("body-invalid", "The text is too long. It can have at most 2,000 characters.");
  return words;
}

/** Returns the problem for a form that does not match the current page. */
export function staleFormProblem(): HttpProblem {
  return new HttpProblem(
    "approval-changed",
    "This form is out of date, so Paraph recorded nothing. Open the approval again and review it.",
  );
}

/** Returns a link to the approval if the reader can go back to it. Otherwise returns a link to the inbox. */
function findNextLink({ code }: HttpProblem, approval: string | undefined) {
  const isThere = approval !== undefined && code !== "approval-unknown" && code !== "internal";
  if (isThere) return { href: `/approvals/${encodeURIComponent(approval)}`, text: "Open the approval" };
  return { href: "/approvals", text: "All approvals" };
}

/** Returns the text of a problem for a page. It replaces texts that contain advice for callers of the API. */
function toPageText({ code, message }: HttpProblem): string {
  if (code === "approval-unknown") return "The approval does not exist, or you do not have access to it.";
  return code === "internal" ? "The server could not handle the request. Try again in a minute." : message;
}

/**
 * Returns the address of the login page, with the page to return to. Paraph does not repeat a form that was posted
 * without a session.
 */
function toLoginUrl(c: Context): string {
  const page = c.req.path.replace(
    /\/(decision|passkey|remove|reveal|messages|acknowledge|reassign|edit|devices(\/remove)?)$/,
    "",
  );
  return `/login?${new URLSearchParams({ to: page })}`;
}
