import type { Context, MiddlewareHandler } from "hono";
import type { Env } from "../context.ts";
import { HttpProblem, unsupportedContentType } from "../problem.ts";

const maxBytes = 1024 * 1024;
const maxDepth = 64;

/** The methods whose bodies no route reads. */
const methodsWithoutBody = ["GET", "HEAD", "DELETE"];

/** [TRUST 24] Reads the body of a request within its limits, and accepts only plain JSON data. */
export const jsonBody: MiddlewareHandler<Env> = async (c, next) => {
  if (methodsWithoutBody.includes(c.req.method)) return next();
  if (!isJson(c.req.header("content-type")) || isEncoded(c.req.header("content-encoding")))
    throw unsupportedContentType();
  const text = decode(await readBytes(c));
  const fault = findJsonFault(parse(text));
  if (fault !== undefined) throw notJson(fault);
  // Puts the text into the cache from which the validators of the route read it.
  c.req.bodyCache.text = Promise.resolve(text) as never;
  return next();
};

/** Returns the first fault in a parsed value, or undefined if there is none. */
export function findJsonFault(value: unknown): string | undefined {
  const open: [value: unknown, depth: number][] = [[value, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [here, depth] = next;
    if (typeof here === "number" && !Number.isFinite(here)) return "a number is too large";
    if (typeof here === "string" && !here.isWellFormed()) return "a string contains half of a surrogate pair";
    if (typeof here !== "object" || here === null) continue;
    if (depth >= maxDepth) return `it has more than ${maxDepth} levels`;
    for (const [name, member] of Object.entries(here)) {
      if (isPrototypeKey(name, member)) return "a member's name is reserved";
      if (!name.isWellFormed()) return "a name contains half of a surrogate pair";
      open.push([member, depth + 1]);
    }
  }
  return undefined;
}

/** Returns whether this member would change an object's prototype when the value is merged into another object. */
function isPrototypeKey(name: string, member: unknown): boolean {
  if (name === "__proto__") return true;
  return (
    name === "constructor" &&
    typeof member === "object" &&
    member !== null &&
    Object.hasOwn(member, "prototype")
  );
}

/**
 * Reads the body. A body cannot be longer than its `Content-Length`, so only a body without that header is counted
 * chunk by chunk.
 */
async function readBytes(c: Context<Env>): Promise<Uint8Array> {
  const length = c.req.header("content-length");
  if (length === undefined) return readChunks(c.req.raw.body);
  if (Number(length) > maxBytes) throw tooLarge();
  return new Uint8Array(await c.req.raw.arrayBuffer());
}

async function readChunks(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw notJson("it is not UTF-8");
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, so it is not passed on.
    throw notJson("it cannot be parsed");
  }
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/([a-z.-]+\+)?json(;\s*[a-z0-9-]+=[^;]+)*$/i.test(contentType ?? "");
}

function isEncoded(contentEncoding: string | undefined): boolean {
  return contentEncoding !== undefined && contentEncoding.toLowerCase() !== "identity";
}

const notJson = (fault: string) => new HttpProblem("not-json", `The body was rejected: ${fault}.`);

const tooLarge = () =>
  new HttpProblem(
    "body-too-large",
    "The body exceeds 1 MiB. Send less data, or a reference to data that is stored elsewhere.",
    {
      headers: { connection: "close" },
    },
  );
