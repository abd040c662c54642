import 'reflect-metadata';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Args, GraphQLModule, Query, Resolver } from '@nestjs/graphql';
import { assertProtected } from 'doorward/graphql';
import { apolloAuth } from 'doorward/use/apollo';
import type { GraphQLSchema } from 'graphql';
import { behaves, type Host, type RunningHost } from './behaviour.ts';
import { takesSockets } from './sockets.ts';
import type { World } from './support.ts';

/** The recipe: rules in the SDL, `protectSchema` as `transformSchema`, and the context of the Apollo driver. */
async function startNest(world: World): Promise<RunningHost> {
  const { parts, protect, authenticate, environment, onError } = world;
  const auth = apolloAuth({ authenticate, environment, onError });
  const { echo, ...queries } = parts.resolvers.Query;

  class Echo {
    echo(text: string): string {
      world.ran.push('echo');
      return text;
    }
  }
  // Decorators by hand: the compiler of the tests leaves out the metadata that Nest would read.
  decorate(Echo, 'echo', Query('echo'));
  Args('text')(Echo.prototype, 'echo', 0);
  Resolver()(Echo);

  let served: GraphQLSchema | undefined;
  class App {}
  Module({
    providers: [Echo],
    imports: [
      GraphQLModule.forRoot<ApolloDriverConfig>({
        driver: ApolloDriver,
        typeDefs: parts.typeDefs,
        resolvers: { ...parts.resolvers, Query: queries },
        transformSchema: (schema) => {
          served = protect(schema);
          return served;
        },
        context: auth.context,
        formatError: auth.formatError,
        includeStacktraceInErrorResponses: true,
        introspection: true,
        playground: false,
        logger: { debug() {}, info() {}, warn() {}, error() {} },
      }),
    ],
  })(App);

  const app = await NestFactory.create(App, { logger: false });
  await app.listen(0, '127.0.0.1');
  if (served === undefined) throw new Error('transformSchema was not called');
  assertProtected(served);
  return {
    server: app.getHttpServer(),
    url: `${(await app.getUrl()).replace('[::1]', '127.0.0.1')}/graphql`,
    async close() {
      auth.close();
      await app.close();
    },
  };
}

function decorate(target: { readonly prototype: object }, name: string, decorator: MethodDecorator): void {
  const descriptor = Object.getOwnPropertyDescriptor(target.prototype, name);
  if (descriptor === undefined) throw new Error(`there is no ${name}`);
  decorator(target.prototype, name, descriptor);
}

const host: Host = {
  name: 'NestJS',
  start: startNest,
  pinned: {
    // Nest runs Apollo Server, see there.
    getHeaders: { 'apollo-require-preflight': 'yes' },
    getAsText: 400,
    mutationByGet: 405,
    postAsText: 400,
    batch: 400,
    badJson: 400,
    noQuery: 400,
    syntax: 400,
    unknownField: 400,
    badVariable: 400,
    codes: ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'],
  },
};

behaves(host);
takesSockets(host);
