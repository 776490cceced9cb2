import { useEffect, useRef } from "preact/hooks";

export function Login({ problem, logIn }: { problem: string; logIn(token: string): void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    const token = input.current!.value.trim();
    if (token) logIn(token);
  };
  return (
    <section class="card narrow" aria-labelledby="login">
      <h1 id="login">Log in</h1>
      <form onSubmit={submit}>
        <p>
          This hub needs a token of the role <q>client</q> to show what runs. The token stays in this tab.
        </p>
        <label for="token">Token</label>
        <div class="row">
          <input ref={input} id="token" type="password" autocomplete="off" spellcheck={false} required />
          <button type="submit" class="main">
            Show
          </button>
        </div>
      </form>
      {problem && (
        <p class="alert" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
