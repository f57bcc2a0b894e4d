import { objectName } from "./call-object.ts";
import { createEngineConnection } from "./engine-connection.ts";

/** A deployment that offers Paraph's service: an address that the engine sends segments to. */
export interface Deployment {
  readonly id: string;
  /** The URL, or undefined if the engine does not reach the deployment over HTTP. */
  readonly url: string | undefined;
}

/** The engine's registration of Paraph's service. */
export interface Registration {
  /** The deployment that receives new messages, or undefined if the engine does not know the service. */
  readonly current: Deployment | undefined;
  /** The settings of the service, which every client of the admin port can change. */
  readonly settings: string;
  readonly deployments: readonly Deployment[];
}

export function createEngineAdmin(adminUrl: string) {
  const admin = createEngineConnection(adminUrl, { maxBytes: 16 << 20 });
  const ask = async (method: string, path: string, body?: object) => {
    const { status, text } = await admin.request(method, path, body);
    if (status >= 300 && status !== 404)
      throw Object.assign(new Error("The engine refused a request."), { code: `engine-${status}` });
    return { status, said: status === 404 || text === "" ? undefined : JSON.parse(text) };
  };
  return {
    /** Makes the worker at this address receive new messages. Returns the settings of the service. */
    async register(uri: string): Promise<string> {
      const { said } = await ask("POST", "/deployments", { uri, force: true });
      return serializeSettings(said?.services?.find(isOwnService));
    },
    async registration(): Promise<Registration> {
      const [service, list] = await Promise.all([
        ask("GET", `/services/${objectName}`),
        ask("GET", "/deployments"),
      ]);
      const deployments: Deployment[] = (list.said?.deployments ?? [])
        .filter((each: ListedDeployment) => each.services.some(isOwnService))
        .map(({ id, uri }: ListedDeployment) => ({ id, url: uri }));
      const current = deployments.find(({ id }) => id === service.said?.deployment_id);
      return { current, settings: serializeSettings(service.said), deployments };
    },
    /**
     * Removes a deployment. It first kills the messages that the deployment holds, because each of them blocks its
     * call.
     */
    async remove({ id }: Deployment): Promise<void> {
      const query = `select id from sys_invocation where status <> 'completed' and '${id}' in (pinned_deployment_id, last_attempt_deployment_id) limit 1000`;
      const { said } = await ask("POST", "/query", { query });
      const held: readonly { readonly id: string }[] = said?.rows ?? [];
      // Ignores the response, because a message that has ended since the query cannot be killed.
      for (const message of held) await admin.request("PATCH", `/invocations/${message.id}/kill`);
      // If the query returned 1,000 messages, more may remain. The deployment then stays until a later check has killed
      // them.
      if (held.length < 1_000) await ask("DELETE", `/deployments/${id}?force=true`);
    },
    close: admin.close,
  };
}

interface ListedDeployment {
  readonly id: string;
  readonly uri?: string;
  readonly services: readonly { readonly name: string }[];
}

const isOwnService = ({ name }: { readonly name: string }) => name === objectName;

/** Serializes the settings of the service without the fields that every registration changes. */
function serializeSettings(service: Record<string, unknown> | undefined): string {
  const { deployment_id, revision, ...settings } = service ?? {};
  return JSON.stringify(settings, (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
