// A server on standard input and output, for a suite that speaks HTTP only: each session has a process of its own, and
// whoever needs no session shares one. Passes on messages and checks nothing.
//   node bridge.mjs COMMAND [ARGS]     prints its own address
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import http from "node:http";
import readline from "node:readline";

const [command, ...args] = process.argv.slice(2);
const sessions = new Map();

function start() {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const asked = new Map();
  let last = 0;
  readline.createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    const asker = asked.get(message.id);
    if (!asker) return;
    asked.delete(message.id);
    // The id is the client's own again: several may ask the same process.
    asker.answer({ ...message, id: asker.id });
  });
  return {
    tell: (message) => child.stdin.write(JSON.stringify(message) + "\n"),
    ask(message, answer) {
      asked.set(++last, { id: message.id, answer });
      this.tell({ ...message, id: last });
    },
    end: () => child.stdin.end(),
  };
}

let shared;
const bridge = http.createServer(async (request, response) => {
  const session = request.headers["mcp-session-id"];
  if (request.method === "DELETE") {
    sessions.get(session)?.end();
    return response.writeHead(sessions.delete(session) ? 200 : 404).end();
  }
  if (request.method !== "POST") return response.writeHead(405, { allow: "POST, DELETE" }).end();
  let body = "";
  for await (const piece of request) body += piece;
  const message = JSON.parse(body);
  const headers = { "content-type": "application/json" };
  let server = session ? sessions.get(session) : (shared ??= start());
  if (message.method === "initialize") {
    headers["mcp-session-id"] = randomUUID();
    server = start();
    sessions.set(headers["mcp-session-id"], server);
  }
  if (!server) return response.writeHead(404).end();
  if (message.id === undefined || !message.method) {
    server.tell(message);
    return response.writeHead(202).end();
  }
  server.ask(message, (answer) => response.writeHead(200, headers).end(JSON.stringify(answer)));
});
bridge.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${bridge.address().port}`));
