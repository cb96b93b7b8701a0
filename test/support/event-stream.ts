export interface ServerEvent {
  event: string;
  data: unknown;
}

/** Reads a text/event-stream reply to its end. */
export async function readEvents(response: Response): Promise<ServerEvent[]> {
  const text = await response.text();
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [event, data] = block.split('\n');
      return {
        event: event!.slice('event: '.length),
        data: JSON.parse(data!.slice('data: '.length)) as unknown,
      };
    });
}
