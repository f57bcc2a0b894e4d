import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

export type Connection = "connecting" | "live" | "lost";

/** The first part of the keys of lists that an event may change, and how often they are loaded at most. */
const refreshes = [
  { ms: 150, lists: ["inbox", "decided", "approval", "calls"] },
  { ms: 2_000, lists: ["overview", "freezes", "people", "policy"] },
];
const reconnectMs = 5_000;

/** Follows the event stream of the tenant, and loads again what an event says has changed. */
export function useLiveUpdates(): Connection {
  const client = useQueryClient();
  const [connection, setConnection] = useState<Connection>("connecting");
  useEffect(() => {
    const running = refreshes.map(({ ms, lists }) => new Refresh(client, lists, ms));
    let source: EventSource;
    let retry: number | undefined;
    const open = () => {
      source = new EventSource("/v1/events");
      source.addEventListener("ready", () => {
        setConnection("live");
        // Events of the time without a connection are lost, so everything on screen is loaded again.
        void client.invalidateQueries();
      });
      source.addEventListener("change", ({ data }: MessageEvent<string>) => {
        const { call } = JSON.parse(data) as { call: string };
        for (const refresh of running) refresh.request(call);
      });
      source.addEventListener("error", () => {
        setConnection("lost");
        // The browser reconnects by itself, except after a response that is no stream.
        if (source.readyState === EventSource.CLOSED) retry = window.setTimeout(open, reconnectMs);
      });
    };
    open();
    return () => {
      source.close();
      clearTimeout(retry);
      for (const refresh of running) refresh.stop();
    };
  }, [client]);
  return connection;
}

/** Loads the changed calls and some lists again: at once after the first event, and then at most once per `ms`. */
class Refresh {
  readonly #client: QueryClient;
  readonly #lists: readonly string[];
  readonly #ms: number;
  readonly #calls = new Set<string>();
  #timer: number | undefined;

  constructor(client: QueryClient, lists: readonly string[], ms: number) {
    this.#client = client;
    this.#lists = lists;
    this.#ms = ms;
  }

  request(call: string): void {
    this.#calls.add(call);
    if (this.#timer === undefined) this.#run();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #run(): void {
    for (const call of this.#calls) void this.#client.invalidateQueries({ queryKey: ["call", call] });
    this.#calls.clear();
    for (const list of this.#lists) void this.#client.invalidateQueries({ queryKey: [list] });
    this.#timer = window.setTimeout(() => {
      this.#timer = undefined;
      if (this.#calls.size > 0) this.#run();
    }, this.#ms);
  }
}
