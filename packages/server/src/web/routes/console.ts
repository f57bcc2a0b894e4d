import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { gzipSync } from "node:zlib";
import { type Context, Hono } from "hono";
import type { Env, RouteDeps } from "../../http/context.ts";
import { findCaller, rejectBarred } from "../../http/middleware/authenticate.ts";
import { HttpProblem } from "../../http/problem.ts";

/** The folder of the built console. Sources and published package have it at the same place, beside `src` and `dist`. */
const builtConsole = new URL("../../../console/", import.meta.url);

/** The files of the console: its page, and the scripts, styles and fonts that the page loads. */
export interface ConsoleFiles {
  readonly page: string;
  /** The page that verifies receipts. It is one file, and works offline. */
  readonly verifyPage: string;
  readonly assets: ReadonlyMap<string, ConsoleAsset>;
}

interface ConsoleAsset {
  readonly type: string;
  readonly bytes: Buffer<ArrayBuffer>;
  /** Returns the compressed bytes. Missing for files that are compressed already. */
  readonly gzipped?: () => Buffer<ArrayBuffer>;
}

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".woff2": "font/woff2",
};

/**
 * [TRUST 22] The console loads scripts, styles, fonts and data from this server only, and runs no inline code. Trusted
 * types keep scripts from turning a text into markup.
 */
const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

/** Reads the built console. Returns undefined if it was not built: the pages without scripts then do its work. */
export function loadConsole(): ConsoleFiles | undefined {
  if (!existsSync(new URL("index.html", builtConsole))) return undefined;
  const assets = new URL("assets/", builtConsole);
  const entries = readdirSync(assets).flatMap((name): [string, ConsoleAsset][] => {
    const type = types[extname(name)];
    if (type === undefined) return [];
    const bytes = readFileSync(new URL(name, assets));
    return [[name, { type, bytes, ...(type !== types[".woff2"] && { gzipped: compressOnce(bytes) }) }]];
  });
  const read = (name: string) => readFileSync(new URL(name, builtConsole), "utf8");
  return { page: read("index.html"), verifyPage: read("verify.html"), assets: new Map(entries) };
}

/** The first request compresses a file, because a start should not wait for it. */
function compressOnce(bytes: Buffer): () => Buffer<ArrayBuffer> {
  let compressed: Buffer<ArrayBuffer> | undefined;
  return () => {
    compressed ??= gzipSync(bytes);
    return compressed;
  };
}

/** Creates the routes of the console. Each address below `/console` has the same page, which finds its own way. */
export function createConsoleRoutes({
  service,
  consoleFiles,
}: Pick<RouteDeps, "service" | "consoleFiles">): Hono<Env> {
  const app = new Hono<Env>();
  if (consoleFiles === undefined) return app;
  app.get("/console/assets/:name", (c) => {
    const asset = consoleFiles.assets.get(c.req.param("name"));
    if (asset === undefined) throw new HttpProblem("not-found", "The console has no such file.");
    // The name contains a digest of the content.
    c.header("cache-control", "public, max-age=31536000, immutable");
    c.header("content-type", asset.type);
    c.header("vary", "accept-encoding");
    if (!asset.gzipped || !/\bgzip\b/.test(c.req.header("accept-encoding") ?? "")) return c.body(asset.bytes);
    return c.body(asset.gzipped(), 200, { "content-encoding": "gzip" });
  });
  const page = async (c: Context<Env>) => {
    const caller = await findCaller(c, service);
    if (caller?.how !== "session") {
      const to = `${c.req.path}${new URL(c.req.url).search}`;
      return c.redirect(`/login?${new URLSearchParams({ to })}`, 303);
    }
    rejectBarred(caller);
    return c.body(consoleFiles.page, 200, headers);
  };
  return app.get("/console", page).get("/console/*", page);
}
