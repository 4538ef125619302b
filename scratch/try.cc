#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <cstdio>
#include "agent/share/share_proof.h"
#include "collectors/real_host.h"
using namespace rdmaready;
int main(int argc,char**argv){
  ProbeResult r; for (auto s: ShareSteps()) r.steps.push_back({.name=std::string(s)});
  Walk w(r,{.deadline=std::chrono::steady_clock::now()+std::chrono::seconds(200)});
  RealHost host;
  ShareProof p{.server_address=argv[1],.share=argv[2],.credentials={argv[3],argv[4],""},.device=argv[6],.port=1,.nonce={9,9,9}};
  ProveShare(p, argv[5][0]=='r', host, w);
  for(auto&s:r.steps) printf("%s %d %s %ld ms\n",s.name.c_str(),(int)s.outcome,s.failure.detail.c_str(),s.duration_ns/1000000);
  for(auto&v:r.values) printf("  %s = %s\n",v.name.c_str(),v.value.c_str());
  for(auto&t:r.transfers) printf("  %s msgs %lu bytes %lu wrong %lu MB/s %.1f p50 %ld us %s\n",t.case_name.c_str(),t.messages,t.bytes,t.bytes_wrong,t.throughput_bytes_per_s/1e6,t.latency.p50_ns/1000,t.failure.detail.c_str());
}
