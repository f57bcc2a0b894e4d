// The files of `deploy/` agree with Paraph: its commands, variables, ports, endpoints, metrics and drain time. They
// are not run here. test/image.test.ts runs them in containers.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createProgram } from "../packages/cli/src/program.ts";
import { instrumentKinds } from "../packages/server/src/telemetry/instruments.ts";
import { readManifest } from "../scripts/packed-packages.ts";
import {
  findManifest,
  type Manifest,
  readCompose,
  readDeployFile,
  readManifests,
} from "./support/deploy-files.ts";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const manifests = readManifests();
const { services } = readCompose();
const ofKind = (kind: string): Manifest[] => manifests.filter((each) => each.kind === kind);
const deployments = ofKind("Deployment");
/** The specification of each pod, by the name of the Deployment or Job. */
const pods: [string, Manifest][] = [...deployments, ...ofKind("Job")].map((each) => [
  each.metadata.name,
  each.spec.template.spec,
]);
const program = createProgram("0.0.0", {} as never, async () => {});
const findCommand = (name: string | undefined) => program.commands.find((each) => each.name() === name);
/** Reads the default of an option of `paraph start` from its description, which ends with the number. */
const readStartDefault = (option: string) =>
  Number(
    /(\d+)\)$/.exec(findCommand("start")!.options.find(({ long }) => long === option)!.description)?.[1],
  );
const drainSeconds = readStartDefault("--drain");
const dockerfile = readDeployFile("Dockerfile");
const [, user] = /^USER (\d+):\1$/m.exec(dockerfile) ?? [];
const config: string = findManifest("ConfigMap", "paraph-config").data["paraph.config.ts"];

it.each(pods)("the pod of %s has no rights that it does not need", (_, pod) => {
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    serviceAccountName: findManifest("ServiceAccount", "paraph").metadata.name,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: Number(user),
      runAsGroup: Number(user),
      seccompProfile: { type: "RuntimeDefault" },
    },
  });
  expect(Object.keys(pod).filter((key) => /^host|initContainers/.test(key))).toEqual([]);
  for (const container of pod.containers) {
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(container.resources).toMatchObject({ requests: {}, limits: { memory: expect.any(String) } });
  }
  const writable = (pod.volumes ?? []).filter((volume: Manifest) => volume.emptyDir);
  expect(writable.map(({ emptyDir }: Manifest) => emptyDir.medium)).toEqual(writable.map(() => "Memory"));
  const mounts = pod.containers.flatMap((container: Manifest) => container.volumeMounts ?? []);
  const open = mounts.filter((mount: Manifest) => !mount.readOnly);
  expect(open.map(({ mountPath }: Manifest) => mountPath)).toEqual(writable.map(() => "/tmp"));
});

it.each(["migrate", "paraph"])("the Compose service %s has no rights that it does not need", (name) => {
  expect(services[name]).toMatchObject({
    user: `${user}:${user}`,
    read_only: true,
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
  });
  expect(services[name].privileged).toBeUndefined();
});

it("publishes only the API, on the loopback address, and PostgreSQL has no way out", () => {
  expect(Object.values<Manifest>(services).flatMap(({ ports = [] }) => ports)).toEqual([
    "127.0.0.1:7411:7411",
  ]);
  expect(services.postgres.networks.map((name: string) => readCompose().networks[name])).toEqual([
    { internal: true },
  ]);
});

it("the command line accepts the arguments of every container", () => {
  const [, cmd = "[]"] = /^CMD (.*)$/m.exec(dockerfile) ?? [];
  const commands: string[][] = [
    JSON.parse(cmd),
    ...pods.flatMap(([, pod]) => pod.containers.map((each: Manifest) => each.args)),
    ...[services.migrate, services.paraph].map(({ command }) => command),
  ];
  for (const [name, ...args] of commands) {
    expect(findCommand(name)?.parseOptions(args), `paraph ${name} ${args.join(" ")}`).toMatchObject({
      operands: [],
      unknown: [],
    });
  }
  expect(commands).toHaveLength(6);
});

it("every variable is one that Paraph reads, and only the migration has the login of the owner", () => {
  const given: [string, string][] = [
    ...pods.flatMap(([name, pod]) =>
      pod.containers.flatMap((each: Manifest) => each.env.map((variable: Manifest) => [name, variable.name])),
    ),
    ...["migrate", "paraph"].flatMap((name) =>
      Object.keys(services[name].environment).map((variable): [string, string] => [name, variable]),
    ),
  ];
  const known = read("docs/reference/environment.md");
  expect(given.filter(([, name]) => !known.includes(`| \`${name}\` |`))).toEqual([]);
  const withOwner = given.filter(([, name]) => name === "DATABASE_OWNER_URL").map(([place]) => place);
  expect(withOwner).toEqual([expect.stringMatching(/^paraph-migrate-/), "migrate"]);
});

it.each(deployments.map((each) => [each.metadata.name, each]))(
  "the probes of %s use real endpoints, and its ports are those of the configuration",
  (_, { spec }) => {
    const [container] = spec.template.spec.containers;
    const ports = Object.fromEntries(
      container.ports.map((each: Manifest) => [each.name, each.containerPort]),
    );
    expect(config).toContain(`metrics: { host: "0.0.0.0", port: ${ports.metrics} }`);
    if (ports.http) expect(ports.http).toBe(readStartDefault("--port"));
    const { paths } = JSON.parse(read("contracts/openapi.json"));
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) {
      const { path, port } = container[probe].httpGet;
      expect(paths).toHaveProperty([path]);
      expect(path).toBe(probe === "readinessProbe" ? "/readyz" : "/healthz");
      expect(ports).toHaveProperty(port);
    }
    expect(dockerfile).toContain("EXPOSE 7411 9464");
  },
);

it("every supervisor waits longer than the drain time", () => {
  for (const { spec } of deployments) {
    const { terminationGracePeriodSeconds, containers } = spec.template.spec;
    const pause = containers[0].lifecycle?.preStop.sleep.seconds ?? 0;
    expect(terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds + pause);
  }
  const minutes = [services.paraph.stop_grace_period, /TimeoutStopSec=(\d+)min/.exec(unit)?.[1]];
  for (const each of minutes) expect(Number.parseInt(each, 10) * 60).toBeGreaterThan(drainSeconds);
});

it("only root and the group of the pod can read the signing key, as `paraph start` demands", () => {
  for (const { spec } of deployments) {
    const { volumes, securityContext } = spec.template.spec;
    const { secret } = volumes.find((volume: Manifest) => volume.name === "keys");
    expect(secret.defaultMode & 0o037).toBe(0);
    expect(securityContext.fsGroup).toBe(Number(user));
  }
});

it("the network is closed by default, and every exception names its peers and ports", () => {
  const [closed, ...open] = ofKind("NetworkPolicy");
  expect(closed.spec).toEqual({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
  for (const { spec, metadata } of open)
    for (const { from, to, ports } of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
      expect([...(from ?? []), ...(to ?? [])], metadata.name).not.toEqual([]);
      expect(ports?.length, metadata.name).toBeGreaterThan(0);
    }
});

it("selectors find the pods, and the autoscaler finds its Deployment and a gauge that exists", () => {
  for (const { metadata, spec } of [...ofKind("Service"), ...ofKind("PodDisruptionBudget"), ...deployments]) {
    const pod = findManifest("Deployment", metadata.name).spec.template.metadata.labels;
    expect(pod).toMatchObject(spec.selector.matchLabels ?? spec.selector);
  }
  const [{ spec: monitor }] = ofKind("ServiceMonitor");
  for (const { metadata, spec } of ofKind("Service")) {
    expect(metadata.labels).toMatchObject(monitor.selector.matchLabels);
    expect(spec.ports.map(({ name }: Manifest) => name)).toContain(monitor.endpoints[0].port);
    // The alerts select the targets by `job="paraph"`, and the job is the value of this label.
    expect(metadata.labels[monitor.jobLabel]).toBe("paraph");
  }
  const [{ spec }] = ofKind("HorizontalPodAutoscaler");
  expect(findManifest("Deployment", spec.scaleTargetRef.name).spec.replicas).toBeUndefined();
  const gauges = Object.entries(instrumentKinds).flatMap(([name, { kind }]) =>
    kind === "gauge" ? name : [],
  );
  expect(gauges.map((name) => name.replaceAll(".", "_"))).toContain(spec.metrics[0].external.metric.name);
});

it("every image of Paraph has the version of this repository", () => {
  const { version } = readManifest("cli");
  const images = [
    ...pods.flatMap(([, pod]) => pod.containers.map((each: Manifest) => each.image)),
    ...[services.migrate, services.paraph].map(({ image }) => image),
  ];
  for (const image of images) expect(image.split(":")[1]).toBe(version);
  expect(ofKind("Job")[0].metadata.name).toBe(`paraph-migrate-${version.replaceAll(".", "-")}`);
});

const unit = readDeployFile("systemd/paraph.service");

it("the unit is the one of the page", () => {
  expect(read("docs/operate/production.md")).toContain(`\`\`\`ini\n${unit}\`\`\``);
});
