import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

export type Connection = "connecting" | "live" | "lost";

const refreshMs = 150;
const reconnectMs = 5_000;

/** Follows the event stream of the tenant, and loads again what an event says has changed. */
export function useLiveUpdates(): Connection {
  const client = useQueryClient();
  const [connection, setConnection] = useState<Connection>("connecting");
  useEffect(() => {
    const refresh = new Refresh(client);
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
        refresh.request(call);
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
      refresh.stop();
    };
  }, [client]);
  return connection;
}

/** Loads lists and calls again: at once after the first event, and then at most once per `refreshMs`. */
class Refresh {
  readonly #client: QueryClient;
  readonly #calls = new Set<string>();
  #timer: number | undefined;

  constructor(client: QueryClient) {
    this.#client = client;
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
    for (const list of ["inbox", "decided", "approval", "calls"])
      void this.#client.invalidateQueries({ queryKey: [list] });
    this.#timer = window.setTimeout(() => {
      this.#timer = undefined;
      if (this.#calls.size > 0) this.#run();
    }, refreshMs);
  }
}
