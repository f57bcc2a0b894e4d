import { createContext, useContext, useSyncExternalStore } from "react";
import type { Connection } from "../api/live.ts";

/** The state of the event stream, or `offline` if the browser has no network. */
export type ConnectionState = Connection | "offline";

export const ConnectionContext = createContext<ConnectionState>("connecting");

export function useConnection(): ConnectionState {
  return useContext(ConnectionContext);
}

export function useOnline(): boolean {
  return useSyncExternalStore(subscribe, () => navigator.onLine);
}

function subscribe(onChange: () => void): () => void {
  addEventListener("online", onChange);
  addEventListener("offline", onChange);
  return () => {
    removeEventListener("online", onChange);
    removeEventListener("offline", onChange);
  };
}
