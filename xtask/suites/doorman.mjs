// A door to a Baton server for programs that cannot be given a token: adds it to each request and passes on the rest.
//   BATON_TOKEN=... node doorman.mjs http://127.0.0.1:PORT     prints its own address
import http from "node:http";

const server = new URL(process.argv[2]);
const door = http.createServer((request, response) => {
  // Whoever names us means the server; whoever names somebody else still does.
  const own = `:${door.address().port}`;
  const renamed = (value) => (value?.endsWith(own) ? value.slice(0, -own.length) + `:${server.port}` : value);
  const headers = { ...request.headers, authorization: `Bearer ${process.env.BATON_TOKEN}` };
  for (const name of ["host", "origin"]) if (headers[name]) headers[name] = renamed(headers[name]);
  const { method, url: path } = request;
  const passed = http.request({ host: server.hostname, port: server.port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
    response.flushHeaders();
  });
  passed.on("error", () => response.destroy());
  response.on("close", () => passed.destroy());
  request.pipe(passed);
});
door.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${door.address().port}`));
