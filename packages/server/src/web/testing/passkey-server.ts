import { type Catalog, defineCapability, sealPasskey } from "@paraph/core";
import { createPlainPolicy } from "@paraph/core/testing";
import { z } from "zod";
import type { SoftAuthenticator } from "../../../../../test/support/soft-authenticator.ts";
import { createPasskeyAddCapability } from "../../builtin/admin/identity/passkey-add.ts";
import { createPasskeyRemoveCapability } from "../../builtin/admin/identity/passkey-remove.ts";
import type { Administration } from "../../builtin/admin/index.ts";
import { TestServer } from "../../http/testing/server.ts";

/** A server whose policy demands a passkey for `vault.open`, and that browsers reach at `localhost`. */
export class PasskeyServer extends TestServer {
  readonly opened: string[] = [];

  override async start(): Promise<void> {
    await super.start();
    const { ports, passkeyStore, store } = this.service;
    this.service.publicUrl = this.http.url.replace("127.0.0.1", "localhost");
    const catalog = ports.catalog as Catalog;
    catalog.add(
      defineCapability({
        name: "vault.open",
        version: 1,
        summary: "Open the vault",
        effect: "write",
        idempotency: "natural",
        input: z.object({ door: z.string() }),
        output: z.object({}),
        preview: async ({ door }) => ({ changes: [{ kind: "update", target: door }], basis: null }),
        apply: async ({ door }) => {
          this.opened.push(door);
          return {};
        },
      }),
    );
    const administration = {
      people: { find: async (tenant: string, id: string) => store.people.find(tenant, id) },
      passkeys: {
        ...passkeyStore,
        add: (tenant: string, passkey: Parameters<Administration["passkeys"]["add"]>[1]) =>
          passkeyStore.add(tenant, { ...passkey, seal: sealPasskey(tenant, passkey, ports.sealer) }),
      },
    } as unknown as Administration;
    catalog.add(createPasskeyAddCapability(administration));
    catalog.add(createPasskeyRemoveCapability(administration));
    Object.assign(ports, {
      policy: createPlainPolicy({
        "vault.open": { ask: 1, proof: "passkey" },
        "admin.passkey_add": { ask: 1 },
        "admin.passkey_remove": "allow",
      }),
    });
  }

  /** Requests `vault.open` as the agent of ana, and returns the call and its approval. */
  async ask(door: string): Promise<{ readonly call: string; readonly approval: string }> {
    const { body } = await this.call("vault.open", { door });
    return { call: body.call, approval: body.approval.id };
  }

  /** Enrols a passkey as an approved call would. */
  async enrol(key: SoftAuthenticator, person: string): Promise<void> {
    const { ports, passkeyStore } = this.service;
    const passkey = { credential: key.credential, person, publicKey: key.cose, label: "soft" };
    await passkeyStore.add("acme", { ...passkey, seal: sealPasskey("acme", passkey, ports.sealer) });
  }
}
