import { answer } from '../../test/support/fake-openai-replies.js';
import { FakeOpenAiServer } from '../../test/support/fake-openai-server.js';

const VIEW = JSON.stringify({
  action: null,
  objects: [{ name: 'chair', colour: 'red', bearing: 'left', distance: 'near', new: true }],
  gone: [],
  description: '',
});

const ANSWER = '<think>Frame 0.</think><answer>A</answer>';

/** A vision-language model and a language model that answer at once, over their real protocol. */
export async function startFakeModels(): Promise<{
  variables: Record<string, string>;
  stop: () => Promise<void>;
}> {
  const server = new FakeOpenAiServer();
  const { baseUrl } = await server.start();
  server.script(({ body }) => {
    server.requests.length = 0; // a long run must not collect them
    const isPicture = JSON.stringify(body.messages).includes('image_url');
    if (isPicture) return answer(VIEW);
    const choices = Array.from({ length: Number(body.n ?? 1) }, () => ({ content: ANSWER }));
    return { kind: 'answer', choices };
  });
  return {
    variables: {
      PERCEIVER: 'openai',
      VLM_BASE_URL: baseUrl,
      VLM_MODEL: 'fake-model',
      VLM_QUESTION_PASS: 'false',
      LM_BACKEND: 'openai',
      LM_BASE_URL: baseUrl,
      LM_MODEL: 'fake-model',
    },
    stop: () => server.stop(),
  };
}
