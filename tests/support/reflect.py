# SPDX-License-Identifier: Apache-2.0
"""Calls a method of a gRPC server that it knows nothing of but what the server itself tells by reflection.

reflect.py ADDRESS SERVICE METHOD JSON      prints the answer as JSON; of a stream, one line for each message"""
import sys

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, json_format
from google.protobuf.message_factory import MessageFactory

# ServerReflectionRequest and its answer (grpc/reflection/v1alpha/reflection.proto), of which Debian has no Python package.
BY_NAME, BY_SYMBOL, FILES_IN_ANSWER, FILES = 3, 4, 4, 1


def field(number, text):
    data = text.encode()
    assert len(data) < 128
    return bytes([number << 3 | 2, len(data)]) + data


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            yield key >> 3, data[at:at + value]
            at += value


def files_of(channel, request):
    call = channel.stream_stream("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
                                 request_serializer=bytes, response_deserializer=bytes)
    for answer in call(iter([request])):
        for number, value in fields(answer):
            if number == FILES_IN_ANSWER:
                return [descriptor_pb2.FileDescriptorProto.FromString(file) for name, file in fields(value) if name == FILES]
    return []


def pool_of(channel, symbol):
    pool = descriptor_pool.DescriptorPool()
    known = {}

    def add(file):
        if file.name in known:
            return
        known[file.name] = True
        for dependency in file.dependency:
            for more in files_of(channel, field(BY_NAME, dependency)):
                add(more)
        pool.Add(file)

    for file in files_of(channel, field(BY_SYMBOL, symbol)):
        add(file)
    return pool


def main(address, service, method, text):
    with grpc.insecure_channel(address) as channel:
        pool = pool_of(channel, service)
        described = pool.FindServiceByName(service).FindMethodByName(method)
        factory = MessageFactory(pool)
        request = json_format.Parse(text, factory.GetPrototype(described.input_type)(), descriptor_pool=pool)
        answer = factory.GetPrototype(described.output_type)
        path = f"/{service}/{method}"
        if described.server_streaming:
            for message in channel.unary_stream(path, lambda m: m.SerializeToString(), answer.FromString)(request):
                print(json_format.MessageToJson(message, indent=None, preserving_proto_field_name=True), flush=True)
            return
        message = channel.unary_unary(path, lambda m: m.SerializeToString(), answer.FromString)(request, timeout=20)
        print(json_format.MessageToJson(message, indent=None, preserving_proto_field_name=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
