// The witness answers questions of the test server about this document, over a
// socket of its own: what a command did is then read on another way than the
// command went. It stands before every other script of the page, so that it
// holds the browser's own WebSocket, and it leaves nothing in the page.
(() => {
  const address = `ws://${location.host}/witness?page=${encodeURIComponent(location.pathname)}`;
  const connect = () => {
    const socket = new WebSocket(address);
    socket.onmessage = async (message) => {
      const { id, question } = JSON.parse(message.data);
      const answer = { id };
      try {
        answer.value = (await (0, eval)(question)) ?? null;
      } catch (error) {
        answer.error = String(error);
      }
      socket.send(JSON.stringify(answer));
    };
  };
  connect();
  addEventListener("pageshow", (event) => event.persisted && connect());
})();
