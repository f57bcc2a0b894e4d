import { z } from "zod";
import type { MetricsAddress } from "../telemetry/index.ts";
import type { HttpAddress, WorkerAddress } from "./config.ts";
import { type Shape, text } from "./schema-parts.ts";

const host = text.describe("The address to listen on (default: `127.0.0.1`).");
export const worker = z
  .strictObject({
    host: host.optional(),
    port: z.int().min(1).max(65_535).optional().describe("The port to listen on (default: any free port)."),
    url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe(
        "The URL at which Restate reaches the worker, for example that of a load balancer (default: from `host` and `port`).",
      ),
  } satisfies Shape<WorkerAddress>)
  .refine(({ host, url }) => url !== undefined || !/^(0\.0\.0\.0|\[?::\]?)$/.test(host ?? ""), {
    path: ["url"],
    message:
      "set the address at which Restate reaches this worker, because `host` means every address of the machine",
  });

export const http = z.strictObject({
  host: host.optional(),
  port: z.int().min(1).max(65_535).optional().describe("The port to listen on (default: 7411)."),
  tls: z
    .strictObject({
      certificate: text.describe("The file of the certificate and its chain, as PEM."),
      key: text.describe("The file of the private key, as PEM."),
    })
    .optional()
    .describe(
      "The certificate for HTTPS, relative to the configuration (default: plain HTTP, for a reverse proxy).",
    ),
} satisfies Shape<HttpAddress>);

export const metrics = z.strictObject({
  host: host.optional(),
  port: z.int().min(0).max(65_535).describe("The port to listen on. With 0, the system chooses a free port."),
} satisfies Shape<MetricsAddress>);
