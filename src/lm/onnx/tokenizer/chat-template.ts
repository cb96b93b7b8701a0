import { Template } from '@huggingface/jinja';
import { SaccadeError } from '../../../errors/saccade-error.js';
import { ChatMessage } from '../../language-model.js';
import { ContentGuard, PromptSegment } from './guarded-content.js';

export interface ChatTemplateOptions {
  /** Jinja source, as models ship it. */
  source: string;
  /** Spellings that must not be read as control tokens when they stand in a message. */
  controlTokens: readonly string[];
  /** Names that templates refer to, such as `bos_token`. */
  variables: Readonly<Record<string, string>>;
}

/** A model's own way of laying out a conversation. */
export class ChatTemplate {
  private readonly template: Template;

  constructor(private readonly options: ChatTemplateOptions) {
    try {
      this.template = new Template(options.source);
    } catch (error) {
      throw new SaccadeError(
        'unsupported',
        'chat_template_unsupported',
        `The model's chat template cannot be read: ${(error as Error).message}`,
        { cause: error },
      );
    }
  }

  /** The prompt up to and including the opening of the assistant's turn. */
  render(messages: readonly ChatMessage[]): PromptSegment[] {
    const guard = new ContentGuard(this.options.controlTokens);
    const guarded = messages.map(({ role, content }) => ({ role, content: guard.mark(content) }));
    try {
      return guard.split(
        this.template.render({ ...this.options.variables, messages: guarded, add_generation_prompt: true }),
      );
    } catch (error) {
      throw new SaccadeError(
        'input',
        'chat_template_refused',
        `The model's chat template refused the messages: ${(error as Error).message}`,
        {
          field: 'messages',
          cause: error,
        },
      );
    }
  }
}
