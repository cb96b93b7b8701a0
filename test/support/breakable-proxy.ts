import { AddressInfo, connect, createServer, Server, Socket } from 'node:net';

/** A TCP proxy on loopback whose connections can be cut as if a cable were pulled. */
export class BreakableProxy {
  private readonly pairs = new Set<[Socket, Socket]>();

  private constructor(private readonly server: Server) {}

  /** @param port of the server behind it, asked for with each connection */
  static async start(port: () => string): Promise<BreakableProxy> {
    const server = createServer();
    const proxy = new BreakableProxy(server);
    server.on('connection', (client) => proxy.join(client, connect(Number(port()), '127.0.0.1')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  breakAll(): void {
    for (const pair of this.pairs) pair.forEach((socket) => socket.resetAndDestroy());
  }

  async stop(): Promise<void> {
    this.breakAll();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket, upstream: Socket): void {
    const pair: [Socket, Socket] = [client, upstream];
    this.pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.pairs.delete(pair);
        pair.forEach((each) => each.destroy());
      });
    }
    client.pipe(upstream).pipe(client);
  }
}
