import { page } from "../page";
import { Snippet } from "./snippet";

/** How Clients connect, and how an app becomes a target. */
export function Connect({ heading = true }: { heading?: boolean }) {
  return (
    <div class="narrow">
      {heading && <h1>Connect</h1>}
      {page.clients && <Clients />}
      {page.shell && <OpenApp />}
    </div>
  );
}

function Clients() {
  return (
    <section class="card" aria-labelledby="connect">
      <h2 id="connect">Connect a client</h2>
      {page.token && (
        <p>
          Replace <code>TOKEN</code> with a client token. <code>cdphub token new</code> makes one.
        </p>
      )}
      {page.clients!.map((s) => (
        <Snippet key={s.client} {...s} />
      ))}
    </section>
  );
}

function OpenApp() {
  return (
    <section class="card" aria-labelledby="open">
      <h2 id="open">Open an app</h2>
      <p>
        The ready-made <a href={page.shell}>Host page</a> shows an app in an iframe and makes it a target. The app must
        load the Frame Agent. <code>cdphub open URL</code> adds the agent to an app that you cannot edit.
      </p>
      <form action={page.shell}>
        <label for="app-address">Address of the app</label>
        <div class="row">
          <input
            id="app-address"
            name="app"
            type="url"
            placeholder="http://localhost:3000/"
            required
            pattern="https?://.*"
            title="an address that begins with http:// or https://"
          />
          <button type="submit" class="main">
            Open
          </button>
        </div>
        <input type="hidden" name="standby" value="" />
      </form>
      <p class="faint">
        An app is a target only within its Host page. Opened in a tab of its own, it is an ordinary page that no client
        sees.
      </p>
    </section>
  );
}
